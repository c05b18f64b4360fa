"""A network for each RabbitMQ node, so that its cable can be cut: namespaces on one bridge. Only root may make them."""
import os, shutil, socket, subprocess


def ip(*words, check=True):
    subprocess.run(["ip", *words], check=check, stderr=None if check else subprocess.DEVNULL)


class Network:
    def __init__(self, nodes):
        self.nodes = nodes
        self.bridge = f"bk{os.getpid()}"
        self.prefix = f"10.77.{os.getpid() % 250}."

    def space(self, number):
        return f"{self.bridge}n{number}"

    def address(self, number):
        return self.prefix + str(number)

    def host(self, number):
        return f"node{number}"

    def start(self):
        ip("link", "add", self.bridge, "type", "bridge")
        ip("address", "add", self.prefix + "254/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        hosts = [f"127.0.0.1 localhost {socket.gethostname()}"]
        hosts += [f"{self.address(number)} {self.host(number)}" for number in self.nodes]
        for number in self.nodes:
            space = self.space(number)
            # What runs in the namespace finds these hosts in /etc/hosts.
            os.makedirs(f"/etc/netns/{space}")
            with open(f"/etc/netns/{space}/hosts", "w") as file:
                file.write("\n".join(hosts) + "\n")
            ip("netns", "add", space)
            ip("link", "add", space + "o", "type", "veth", "peer", "name", "cable", "netns", space)
            ip("link", "set", space + "o", "master", self.bridge, "up")
            ip("-n", space, "address", "add", self.address(number) + "/24", "dev", "cable")
            for device in "cable", "lo":
                ip("-n", space, "link", "set", device, "up")

    def cut(self, number):
        """Nothing reaches the node, and nothing says so."""
        ip("link", "set", self.space(number) + "o", "down")

    def mend(self, number):
        ip("link", "set", self.space(number) + "o", "up")

    def end(self):
        for number in self.nodes:
            ip("netns", "delete", self.space(number), check=False)
            shutil.rmtree(f"/etc/netns/{self.space(number)}", ignore_errors=True)
        ip("link", "delete", self.bridge, check=False)
