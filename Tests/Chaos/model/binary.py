"""The gateway to try."""
import os, subprocess, sys


def find_binary():
    """The one that BEACONKEEPER names, or else one that is built here."""
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
    binary = os.environ.get("BEACONKEEPER")
    if not binary:
        subprocess.run(["swift", "build", "--product", "beaconkeeper"], cwd=root, check=True, stdout=sys.stderr)
        path = subprocess.run(["swift", "build", "--show-bin-path"], cwd=root, check=True, capture_output=True, text=True)
        binary = path.stdout.strip() + "/beaconkeeper"
    return os.path.abspath(binary)
