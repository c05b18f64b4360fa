import android.content.Context
import java.io.File
import org.json.JSONObject

/** Appends what happens to a file that `beaconkeeper compare-log` reads, for example `seen(this, "near", "pump")`. */
@Synchronized
fun seen(context: Context, event: String, beacon: String? = null, more: Map<String, Any> = emptyMap()) {
    val line = JSONObject(more)
        .put("time", System.currentTimeMillis() / 1000.0)
        .put("event", event)
        .putOpt("beacon", beacon)
    File(context.filesDir, "beacons.jsonl").appendText("$line\n")
}
