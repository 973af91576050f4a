/** What cannot work is said in one line before anything starts: the API server hears nothing, no lease is touched. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Authority } from "../controlplane/pki.ts";
import { freePort } from "../controlplane/process.ts";
import { kubeloop } from "./kubeloop_process.ts";

/** An API server that only counts who comes. */
class Silence implements AsyncDisposable {
  readonly folder: string;
  visits = 0;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #counted: Promise<void>;

  private constructor(folder: string) {
    this.folder = folder;
    this.#counted = this.#count();
  }

  static async start(): Promise<Silence> {
    const silence = new Silence(await Deno.makeTempDir());
    const authority = await Authority.create();
    const { cert, key } = await authority.serving(["localhost"], ["127.0.0.1"]);
    const other = await (await Authority.create("other")).serving(["localhost"], []);
    const files = {
      "kubeconfig": silence.#kubeconfig,
      "tls.crt": cert,
      "tls.key": key,
      "other.key": other.key,
      "broken.crt": "-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n",
    };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${silence.folder}/${name}`, text);
    return silence;
  }

  get #kubeconfig(): string {
    const { port } = this.#listener.addr;
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: "c", user: {} }],
      contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
    });
  }

  async #count(): Promise<void> {
    for await (const connection of this.#listener) {
      this.visits++;
      connection.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#counted;
    await Deno.remove(this.folder, { recursive: true });
  }
}

Deno.test("files, ports and threads that cannot be had end the start with one line that names them, and nothing else", async () => {
  await using api = await Silence.start();
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const at = (name: string) => `${api.folder}/${name}`;
  const pair = [`--tls-cert-file=${at("tls.crt")}`, `--tls-private-key-file=${at("tls.key")}`];
  const cases: [flags: string[], said: string][] = [
    [["--tls-cert-file=/no.crt", "--tls-private-key-file=/no.key"], "open /no.crt: no such file or directory"],
    [[`--tls-cert-file=${at("tls.crt")}`, "--tls-private-key-file=/no.key"], "open /no.key: no such file or directory"],
    [
      [`--tls-cert-file=${at("broken.crt")}`, `--tls-private-key-file=${at("tls.key")}`],
      `${at("broken.crt")}: cannot be read as PEM of a certificate`,
    ],
    [
      [`--tls-cert-file=${at("tls.crt")}`, `--tls-private-key-file=${at("other.key")}`],
      `tls: private key ${at("other.key")} does not match public key of ${at("tls.crt")}`,
    ],
    [[...pair, "--tls-sni-cert-key=/sni.crt,/sni.key"], "open /sni.crt: no such file or directory"],
    [
      [...pair, "--client-ca-file=/ca.crt"],
      "unable to load client CA provider: open /ca.crt: no such file or directory",
    ],
    [
      [...pair, `--client-ca-file=${at("broken.crt")}`],
      `${at("broken.crt")}: data does not contain any valid RSA or ECDSA certificates`,
    ],
    [[...pair, "--requestheader-client-ca-file=/ca.crt"], "open /ca.crt: no such file or directory"],
    [["--root-ca-file=/root.crt"], "error reading root-ca-file at /root.crt"],
    [["--allow-metric-labels-manifest=/labels"], "failed to read allow list manifest: open /labels: no such file"],
    [["--authentication-kubeconfig=/auth.conf"], "failed to get delegated authentication kubeconfig"],
    [["--authorization-kubeconfig=/auth.conf"], "failed to get delegated authorization kubeconfig"],
    [[`--secure-port=${taken.addr.port}`], `listen tcp 127.0.0.1:${taken.addr.port}: address already in use`],
    [
      [`--secure-port=${taken.addr.port}`, "--controller-groups=auto"],
      `listen tcp 127.0.0.1:${taken.addr.port}: address already in use`,
    ],
    [["--bind-address=192.0.2.1"], "listen tcp 192.0.2.1:"],
  ];
  const delegated = [
    `--authentication-kubeconfig=${at("kubeconfig")}`,
    `--authorization-kubeconfig=${at("kubeconfig")}`,
  ];
  // Not all at once: each is a process.
  for (let i = 0; i < cases.length; i += 4) {
    await Promise.all(
      cases.slice(i, i + 4).map(async ([flags, said]) => {
        const { code, out, err } = await kubeloop(
          "kube-controller-manager",
          `--kubeconfig=${at("kubeconfig")}`,
          ...delegated,
          "--bind-address=127.0.0.1",
          `--secure-port=${freePort()}`,
          ...flags,
        );
        const errors = err.split("\n").filter((line) => line.startsWith("E"));
        assertEquals({ code, out, errors: errors.length }, { code: 1, out: "", errors: 1 }, `${flags}: ${err}`);
        assertStringIncludes(errors[0], "command failed");
        assertStringIncludes(errors[0].replaceAll('\\"', '"'), said);
        assert(!/^\s+at /m.test(err), `no stack trace: ${err}`);
      }),
    );
  }
  assertEquals(api.visits, 0);
});
