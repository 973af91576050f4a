/** Requests that openssl has signed, with all keys and digests that it has. */
import { assertEquals, assertThrows } from "@std/assert";
import { readCertificateRequest, verifyRequest } from "../../../src/x509/mod.ts";
import { runProgram } from "../../controlplane/run_program.ts";

const hasOpenssl = await new Deno.Command("openssl", { args: ["version"] }).output().then(() => true, () => false);

/** A key made by `key`, and a request that it signed. */
async function request(folder: string, key: readonly string[], options: readonly string[]): Promise<string> {
  const file = `${folder}/${key.join("").replace(/\W/g, "")}.key`;
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram("openssl", { args });
    assertEquals(code, 0, stderr);
    return stdout;
  };
  const isThere = await Deno.stat(file).then(() => true, () => false);
  if (!isThere) await run(...key, "-out", file);
  return await run("req", "-new", "-key", file, "-subj", "/O=o/CN=x", ...options);
}

const curve = (name: string) => ["ecparam", "-name", name, "-genkey", "-noout"];
const rsa = (bits: number) => ["genpkey", "-algorithm", "RSA", "-pkeyopt", `rsa_keygen_bits:${bits}`];
const pss = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:-1"];
const HASHES = ["-sha1", "-sha256", "-sha384", "-sha512"];
const CASES: readonly (readonly [key: readonly string[], options: readonly string[]])[] = [
  ...["secp224r1", "prime256v1", "secp384r1", "secp521r1"].flatMap((name) =>
    HASHES.map((hash) => [curve(name), [hash]] as const)
  ),
  ...HASHES.map((hash) => [rsa(2048), [hash]] as const),
  ...HASHES.slice(1).map((hash) => [rsa(2048), [hash, ...pss]] as const),
  [rsa(1024), ["-sha256"]],
  [rsa(3072), ["-sha256"]],
  [["genpkey", "-algorithm", "ed25519"], []],
];

const mutations = (pem: string): string[] => {
  const [head, ...lines] = pem.trim().split("\n");
  const text = lines.slice(0, -1).join("");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  // In the signature, and in the name.
  return [bytes.length - 3, 20].map((at) => {
    const changed = bytes.slice();
    changed[at] ^= 1;
    return [head, btoa(String.fromCharCode(...changed)), lines.at(-1), ""].join("\n");
  });
};

Deno.test({
  name: "verifyRequest takes what openssl signs with every key and digest, and nothing that was changed since",
  ignore: !hasOpenssl,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    for (const [key, options] of CASES) {
      const pem = await request(folder, key, options);
      const read = readCertificateRequest(pem);
      verifyRequest(read);
      assertEquals([read.subject.O, read.subject.CN], [["o"], ["x"]]);
      for (const changed of mutations(pem)) {
        assertThrows(
          () => verifyRequest(readCertificateRequest(changed)),
          Error,
          undefined,
          [...key, ...options].join(" "),
        );
      }
    }
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test({
  name: "verifyRequest refuses keys that are too small, and digests that nobody may rely on",
  ignore: !hasOpenssl,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    for (
      const [key, options, why] of [
        [rsa(512), ["-sha256"], "crypto/rsa: 512-bit keys are insecure"],
        [rsa(2048), ["-md5"], "x509: cannot verify signature: insecure algorithm MD5-RSA"],
        [rsa(2048), ["-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:20"], "unimplemented"],
        [["genpkey", "-algorithm", "ed448"], [], "x509: cannot verify signature: algorithm unimplemented"],
      ] as const
    ) {
      const pem = await request(folder, key, options);
      assertThrows(() => verifyRequest(readCertificateRequest(pem)), Error, why);
    }
    await Deno.remove(folder, { recursive: true });
  },
});
