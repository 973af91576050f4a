/** Whom the program trusts besides an authority that a kubeconfig names; in processes of its own, since it is decided once in each. */
import { assertEquals } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import { fromFileUrl } from "@std/path";
import { HttpsServer } from "../../../src/https/mod.ts";
import { SystemClock } from "../../../src/base/mod.ts";
import { Authority } from "../../controlplane/pki.ts";

const MAIN = fromFileUrl(new URL("../../../main.ts", import.meta.url));

Deno.test("kubeloop trusts the authorities of its machine where the kubeconfig names none, unless it is told otherwise", async () => {
  const folder = await Deno.makeTempDir({ prefix: "kubeloop-roots-" });
  try {
    const authority = await Authority.create("of the machine");
    const own = await authority.serving(["localhost"], ["127.0.0.1"]);
    let requests = 0;
    const handler = () => {
      requests++;
      return Promise.resolve(new Response("no", { status: 403 }));
    };
    await using server = await HttpsServer.listen({
      clock: new SystemClock(),
      hostname: "127.0.0.1",
      port: 0,
      certificates: { own },
      handler,
    });
    await Deno.writeTextFile(`${folder}/roots.pem`, authority.cert);
    const cluster = { server: `https://127.0.0.1:${server.port}` };
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster }],
      contexts: [{ name: "c", context: { cluster: "c" } }],
      "current-context": "c",
    };
    await Deno.writeTextFile(`${folder}/kubeconfig`, JSON.stringify(kubeconfig));
    const isTrusted = async (env: Record<string, string>) => {
      requests = 0;
      await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-check", "--allow-all", MAIN, "explain", "pod/a", `--kubeconfig=${folder}/kubeconfig`],
        env: { DENO_TLS_CA_STORE: "", SSL_CERT_DIR: "", ...env },
      }).output();
      return requests > 0;
    };
    assertEquals(await isTrusted({ SSL_CERT_FILE: `${folder}/roots.pem` }), true);
    assertEquals(await isTrusted({ SSL_CERT_FILE: `${folder}/none.pem` }), false);
    assertEquals(await isTrusted({ SSL_CERT_FILE: `${folder}/roots.pem`, DENO_TLS_CA_STORE: "mozilla" }), false);
    // What the kubeconfig names is trusted wherever the machine's list lies, and if it has none.
    await Deno.writeTextFile(
      `${folder}/kubeconfig`,
      JSON.stringify({
        ...kubeconfig,
        clusters: [{ name: "c", cluster: { ...cluster, "certificate-authority": `${folder}/roots.pem` } }],
      }),
    );
    assertEquals(await isTrusted({ SSL_CERT_FILE: `${folder}/none.pem` }), true);
    // And nobody else is.
    const { cert } = await Authority.create("of somebody else");
    const data = { "certificate-authority-data": encodeBase64(cert) };
    await Deno.writeTextFile(
      `${folder}/kubeconfig`,
      JSON.stringify({ ...kubeconfig, clusters: [{ name: "c", cluster: { ...cluster, ...data } }] }),
    );
    assertEquals(await isTrusted({ SSL_CERT_FILE: `${folder}/roots.pem` }), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const MODULE = new URL("../../../src/cli/trusted_authorities.ts", import.meta.url);
const NAMED = "trustAuthorityOf({ server: '', ca: 'an authority' });";
const UNNAMED = "trustAuthorityOf({ server: '' });";
const UNREADABLE = { SSL_CERT_FILE: "/nowhere.pem" };

/** What the runtime reads: `,` are no lists, `system` is the machine's, `mozilla` the compiled-in one. */
const DECISIONS: readonly (readonly [calls: string, env: Record<string, string>, stores: string])[] = [
  [NAMED, {}, ","],
  [UNNAMED, {}, "system"],
  [NAMED + UNNAMED, {}, "system"],
  [UNNAMED + NAMED, {}, "system"],
  ["trustMachine();" + NAMED, {}, "system"],
  ["trustMachine();" + NAMED, UNREADABLE, "mozilla"],
  [NAMED + UNNAMED, UNREADABLE, "mozilla"],
  [NAMED, { DENO_TLS_CA_STORE: "mozilla" }, "mozilla"],
  ["trustMachine();" + UNNAMED, { DENO_TLS_CA_STORE: "mozilla" }, "mozilla"],
];

for (const [calls, env, stores] of DECISIONS) {
  Deno.test(`the runtime is told to trust ${stores} after ${calls} with ${JSON.stringify(env)}`, async () => {
    const code = `import { trustAuthorityOf, trustMachine } from "${MODULE.href}"; ${calls}
      console.log(JSON.stringify({ stores: Deno.env.get("DENO_TLS_CA_STORE") }));`;
    const { SSL_CERT_FILE: _, DENO_TLS_CA_STORE: __, ...others } = Deno.env.toObject();
    const command = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", code],
      clearEnv: true,
      env: { ...others, ...env },
    });
    const { stdout } = await command.output();
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), { stores });
  });
}
