/** Whom the program trusts where a kubeconfig names no authority; in processes of its own, since it is decided once in each. */
import { assertEquals } from "@std/assert";
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
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
