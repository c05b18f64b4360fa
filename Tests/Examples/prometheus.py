"""A real Prometheus, which asks a gateway for its metrics, and judges it by the rules that are shipped."""
import json, pathlib, re, shutil, subprocess, tempfile, urllib.error, urllib.parse, urllib.request
from broker import free_port, until


class Prometheus:
    """Asks every second. Its alerts need not last: what is tried is whether they come at all, and go."""

    def __init__(self, target, rules):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="beaconkeeper-prometheus-"))
        self.port = free_port()
        (self.folder / "rules.yaml").write_text(re.sub(r"(?m)^( +for:) .*$", r"\1 0s", rules.read_text()))
        (self.folder / "prometheus.yml").write_text(
            "global: { scrape_interval: 1s, evaluation_interval: 1s }\nrule_files: [rules.yaml]\nscrape_configs:\n"
            f'  - job_name: beaconkeeper\n    static_configs: [{{ targets: ["{target}"] }}]\n')

    def __enter__(self):
        self.log = open(self.folder / "log", "w")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=self.log, stderr=self.log)
        until("Prometheus answers", self.is_ready)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder)

    def is_ready(self):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready").status == 200
        except OSError:
            return False

    def asked(self, what, **query):
        """What its API answers; of a query that it cannot read, the reason."""
        address = f"http://127.0.0.1:{self.port}/api/v1/{what}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(address) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            return json.load(error)["error"]

    def firing(self):
        """The alerts that are on, each with what a person reads."""
        return {one["labels"]["alertname"]: one["annotations"]["summary"] for one in self.asked("alerts")["alerts"] if one["state"] == "firing"}
