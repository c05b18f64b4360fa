"""Certificates for tests, made by openssl in a folder."""
import os, subprocess

# `x509` takes no negative days since OpenSSL 3.5; `ca` takes dates.
CONF = """[ca]
database = {0}.index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
"""


class Certificates:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                     "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")

    def issue(self, name, subject, names="", by="ca", expired=False):
        """`<name>.pem` and `<name>.key` for a person, or for a host with names such as `DNS:localhost,IP:127.0.0.1`."""
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={subject}",
                     "-keyout", f"{name}.key", "-out", f"{name}.csr")
        self.write(f"{name}.ext", f"subjectAltName={names}\n" if names else "basicConstraints=CA:FALSE\n")
        self.write(f"{name}.index", "")
        self.write(f"{name}.conf", CONF.format(name))
        dates = ("20200101000000Z", "20200102000000Z") if expired else ("20200101000000Z", "20491231235959Z")
        self.openssl("ca", "-batch", "-notext", "-config", f"{name}.conf", "-name", "ca", "-cert", f"{by}.pem",
                     "-keyfile", f"{by}.key", "-startdate", dates[0], "-enddate", dates[1], "-extfile", f"{name}.ext",
                     "-in", f"{name}.csr", "-out", f"{name}.pem")
