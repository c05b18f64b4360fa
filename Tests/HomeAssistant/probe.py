"""Runs a real Home Assistant with its MQTT integration and answers questions about it, a line of JSON each.

    python probe.py CONFIG_FOLDER BROKER_PORT

It runs inside an environment that holds the `homeassistant` package: see `environment`. Registries and entities live
in CONFIG_FOLDER, so that a second start is a restart. Every warning and error that Home Assistant logs is kept.
"""
import asyncio
import json
import logging
import os
import sys

folder, port = sys.argv[1], int(sys.argv[2])
logged = []


class Keeper(logging.Handler):
    def emit(self, record):
        text = record.getMessage()
        if record.exc_info:
            text += " " + repr(record.exc_info[1])
        logged.append(f"{record.levelname} {record.name}: {text}")


logging.getLogger().addHandler(Keeper(logging.WARNING))
if os.environ.get("PROBE_DEBUG"):
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)

import yaml  # noqa: E402
from homeassistant import auth, bootstrap, config_entries, core, loader  # noqa: E402
from homeassistant.const import __version__  # noqa: E402
from homeassistant.helpers import device_registry, entity_registry  # noqa: E402
from homeassistant.setup import async_setup_component  # noqa: E402


def plain(value):
    return json.loads(json.dumps(value, default=str))


async def start():
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "configuration.yaml"), "a"):
        pass
    hass = core.HomeAssistant(folder)
    loader.async_setup(hass)
    hass.config.skip_pip = True
    words = os.environ.get("PROBE_PEOPLE", "").split()
    people = [{"id": name.lower(), "name": name, "device_trackers": [tracker]} for name, tracker in zip(words[::2], words[1::2])]
    config = {
        "http": {"server_port": int(os.environ.get("PROBE_HTTP_PORT", "0")) or 18123, "server_host": ["127.0.0.1"]},
        "zone": [{"name": "Pump & shop", "latitude": 53.0, "longitude": 14.0, "radius": 50}],
        "person": people,
        # Set up with the first sensor that the MQTT integration finds.
        "sensor": [
            {"platform": "mqtt_room", "name": name, "device_id": beacon, "state_topic": "room_presence", "away_timeout": 5}
            for name, beacon in (("Key nearest", "Anna's key"), ("Bella nearest", "fleet:1.2"))
        ],
    }
    hass.config_entries = config_entries.ConfigEntries(hass, config)
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    await hass.config.async_update(latitude=52.0, longitude=13.0, location_name="Home", time_zone="UTC")
    for domain in ("homeassistant", "http", "zone", "person", "device_automation", "mqtt", "persistent_notification"):
        if not await async_setup_component(hass, domain, config):
            logged.append(f"ERROR probe: {domain} was not set up")
    await hass.async_start()
    if not hass.config_entries.async_entries("mqtt"):
        flow = await hass.config_entries.flow.async_init("mqtt", context={"source": "user"})
        if flow["type"] == "menu":
            flow = await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "broker"})
        answer = {"broker": "127.0.0.1", "port": port}
        known = {str(key) for key in flow["data_schema"].schema}
        for key, value in {"other_settings": {"set_client_cert": False, "set_ca_cert": "off"}}.items():
            if key in known:
                answer[key] = value
        flow = await hass.config_entries.flow.async_configure(flow["flow_id"], answer)
        if flow["type"] != "create_entry":
            logged.append(f"ERROR probe: no MQTT entry: {flow}")
    await hass.async_block_till_done()
    return hass


def entry(hass):
    return hass.config_entries.async_entries("mqtt")[0].entry_id


def states(hass):
    return {
        s.entity_id: {"state": s.state, "attributes": plain(dict(s.attributes))} for s in hass.states.async_all()
    }


def entities(hass):
    devices = device_registry.async_get(hass)
    return {
        e.entity_id: {
            "unique_id": e.unique_id, "platform": e.platform, "disabled": e.disabled,
            "device": devices.async_get(e.device_id).name if e.device_id else None,
            "category": str(e.entity_category) if e.entity_category else None,
        }
        for e in entity_registry.async_entries_for_config_entry(entity_registry.async_get(hass), entry(hass))
    }


def devices(hass):
    registry = device_registry.async_get(hass)
    return {
        d.id: {
            "name": d.name, "identifiers": sorted(i[1] for i in d.identifiers if i[0] == "mqtt"), "model": d.model,
            "manufacturer": d.manufacturer, "connections": sorted(map(list, d.connections)), "area": d.area_id,
            "sw_version": d.sw_version, "via": d.via_device_id,
        }
        for d in device_registry.async_entries_for_config_entry(registry, entry(hass))
    }


def meet(hass, name, address):
    """What an integration for Bluetooth devices does when it meets one; the devices that have its address then."""
    from homeassistant.config_entries import ConfigEntry
    from types import MappingProxyType

    found = hass.config_entries.async_entries("probe")
    if not found:
        more = {"subentries_data": None, "discovery_keys": MappingProxyType({}), "options": {}}
        other = ConfigEntry(data={}, domain="probe", minor_version=1, source="user", title="probe", unique_id="probe",
                            version=1, **more)
        hass.config_entries._entries[other.entry_id] = other
        found = [other]
    registry = device_registry.async_get(hass)
    connection = (device_registry.CONNECTION_BLUETOOTH, address)
    registry.async_get_or_create(
        config_entry_id=found[0].entry_id, connections={connection}, identifiers={("probe", address)}, name=name)
    # Before 2026.8 it was a mapping.
    known = [registry.devices[d] if isinstance(d, str) else d for d in registry.devices]
    return [sorted(map(list, d.identifiers)) for d in known if connection in d.connections]


async def triggers(hass, device):
    from homeassistant.components.device_automation import DeviceAutomationType, async_get_device_automations

    found = await async_get_device_automations(hass, DeviceAutomationType.TRIGGER, [device])
    return plain([t for t in found[device] if t["domain"] == "mqtt"])


fired = []
# How often each entity changed its state.
changes = {}
# Each state that came since somebody asked last, with its entity.
history = []


def count(event):
    entity = event.data["entity_id"]
    changes[entity] = changes.get(entity, 0) + 1
    new = event.data["new_state"]
    history.append([entity, new and new.state])


async def automate(hass, automations):
    if isinstance(automations, str):
        automations = yaml.safe_load(automations)
    hass.bus.async_listen("automation_triggered", lambda event: fired.append(event.data["name"]))
    hass.bus.async_listen("probe_event", lambda event: fired.append(plain(dict(event.data))))
    return await async_setup_component(hass, "automation", {"automation": automations})


async def main():
    hass = await start()
    hass.bus.async_listen("state_changed", core.callback(count))
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    say({"started": __version__})
    while line := await reader.readline():
        ask = json.loads(line)
        do = ask["do"]
        if do == "states":
            say(states(hass))
        elif do == "entities":
            say(entities(hass))
        elif do == "devices":
            say(devices(hass))
        elif do == "meet":
            say(meet(hass, ask["name"], ask["address"]))
        elif do == "changes":
            say(changes)
        elif do == "history":
            say(history)
            history.clear()
        elif do == "rename":
            entity_registry.async_get(hass).async_update_entity(ask["entity"], new_entity_id=ask["to"], name=ask["name"])
            await hass.async_block_till_done()
            say(None)
        elif do == "triggers":
            say(await triggers(hass, ask["device"]))
        elif do == "automate":
            say(await automate(hass, ask["automations"]))
        elif do == "automations":
            say({s.attributes["friendly_name"]: s.attributes.get("last_triggered") for s in hass.states.async_all("automation")})
        elif do == "fired":
            say(fired)
        elif do == "warnings":
            say(logged)
        elif do == "stop":
            break
    await hass.async_stop(force=True)
    say(logged)


def say(answer):
    sys.stdout.write(json.dumps(answer, default=str) + "\n")
    sys.stdout.flush()


try:
    asyncio.run(main())
except BaseException:
    sys.stderr.write("\n".join(logged) + "\n")
    raise
