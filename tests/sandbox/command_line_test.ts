/** What a person or a script sees who gets the command line or the kubeconfig wrong: one clear line, the right exit code. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { kubeloop, KubeloopProcess } from "./kubeloop_process.ts";
import { kubeconfigText } from "../../src/sandbox/mod.ts";

/** Starts the manager with this kubeconfig and gives the last line of what it says. */
async function refusal(kubeconfig: string, ...args: string[]): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".conf" });
  try {
    await Deno.writeTextFile(path, kubeconfig);
    const { code, err } = await kubeloop("--secure-port=0", "--leader-elect=false", `--kubeconfig=${path}`, ...args);
    assertEquals(code, 1, err);
    assert(!/^\s+at /m.test(err), `no stack trace: ${err}`);
    return err.trim().split("\n").at(-1)!.replaceAll(path, "FILE");
  } finally {
    await Deno.remove(path);
  }
}

const kubeconfig = (cluster: string, user = "{}", context = "c") => `
apiVersion: v1
kind: Config
current-context: ${context}
clusters: [{name: c, cluster: ${cluster}}]
users: [{name: c, user: ${user}}]
contexts: [{name: c, context: {cluster: c, user: c}}]
`;

Deno.test("an unknown flag, a bad value or a stray argument is refused in upstream's words", async () => {
  const cases: [args: string[], line: string][] = [
    [["--nosuchflag"], "Error: unknown flag: --nosuchflag"],
    [["-v=0", "--nosuchflag"], "Error: unknown flag: --nosuchflag"],
    [
      ["--leader-elect-lease-duration=soon"],
      'Error: invalid argument "soon" for "--leader-elect-lease-duration" flag: time: invalid duration "soon" ' +
      "(it takes a duration such as 1h30m or 500ms)",
    ],
    [["kube-controller-manager", "x"], 'Error: "kube-controller-manager" does not take any arguments, got ["x"]'],
    [
      ["--leader-elect-lease-duration=10s"],
      "Error: leaseDuration must be greater than renewDeadline: --leader-elect-lease-duration 10s, " +
      "--leader-elect-renew-deadline 10s",
    ],
  ];
  await Promise.all(cases.map(async ([args, line]) => {
    const { code, err, out } = await kubeloop(...args);
    assertEquals({ code, out, last: err.trim().split("\n").at(-1) }, { code: 1, out: "", last: line });
  }));
});

Deno.test("an unknown command is refused, and help and version are printed", async () => {
  const [unknown, help, helpFlag, version, managerVersion, raw, managerHelp] = await Promise.all([
    kubeloop("fly"),
    kubeloop("help"),
    kubeloop("--help"),
    kubeloop("version"),
    kubeloop("--version"),
    kubeloop("--version=raw"),
    kubeloop("kube-controller-manager", "--help"),
  ]);
  assertEquals(unknown.code, 1);
  assertStringIncludes(unknown.err, 'Error: unknown command "fly" for "kubeloop"');
  assertEquals([help, version, managerVersion, raw, managerHelp].map(({ code }) => code), [0, 0, 0, 0, 0]);
  assertStringIncludes(help.out, "kubeloop dev");
  assertEquals(helpFlag, help);
  assertMatch(version.out, /^kubeloop \d+\.\d+\.\d+ \(Kubernetes v1\.36\.\d+\)\n/);
  assertMatch(managerVersion.out, /^Kubernetes v1\.36\.\d+\n$/);
  assertMatch(raw.out, /^version\.Info\{Major:"1", Minor:"36", .*GitVersion:"v1\.36\.\d+", .*Platform:"[^"]+"\}\n$/);
  for (const section of ["Debugging", "Generic", "Secure serving", "Logs", "Global", "Kubeloop"]) {
    assertStringIncludes(managerHelp.out, `\n${section} flags:\n\n`);
  }
  assertStringIncludes(
    managerHelp.out,
    "How long other processes wait for a silent leader before they take over (default 15s)",
  );
});

Deno.test("controllers that are asked for and need a cloud are named at the start", async () => {
  const { err } = await kubeloop("--controllers=*,-service-lb-controller,-job", "--kubeconfig=/no/such/file");
  const skipped = /"Skipping a cloud provider controller" controller="([^"]*)"/g;
  assertEquals([...err.matchAll(skipped)].map(([, name]) => name), [
    "cloud-node-lifecycle-controller",
    "node-route-controller",
  ]);
  const own = await kubeloop("--controllers=deployment,cronjob", "--kubeconfig=/no/such/file");
  assert(!own.err.includes("Skipping"), own.err);
});

Deno.test("no kubeconfig, a missing one, and one that cannot be used each end the start with one line naming it", async () => {
  const without = await kubeloop("--secure-port=0");
  assertEquals(without.code, 1);
  assertStringIncludes(without.err.trim().split("\n").at(-1)!, "no configuration has been provided");
  const missing = await kubeloop("--secure-port=0", "--kubeconfig=/no/such/file");
  assertEquals(missing.code, 1);
  assertMatch(missing.err.trim().split("\n").at(-1)!, /^E.*\/no\/such\/file/);
  const lines = await Promise.all([
    refusal("{ not: [yaml"),
    refusal(kubeconfig("{server: 'https://127.0.0.1:1'}", "{}", "other")),
    refusal(kubeconfig("{server: 'https://127.0.0.1:1', certificate-authority-data: '***'}")),
    refusal(kubeconfig("{server: 'https://127.0.0.1:1', certificate-authority: /no/ca.crt}")),
    refusal(
      kubeconfig(
        "{server: 'https://127.0.0.1:1'}",
        "{exec: {command: x, apiVersion: client.authentication.k8s.io/v1}}",
      ),
    ),
  ]);
  const expected = [/FILE/, /other/, /certificate-authority-data/, /\/no\/ca\.crt/, /interactiveMode/];
  for (const [i, line] of lines.entries()) assertMatch(line, expected[i]);
});

Deno.test("a server that is not Kubernetes, and one that is not there, are named in one line", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("<html>a web shop</html>", { status: 404 }),
  );
  const shop = refusal(kubeconfig(`{server: 'http://127.0.0.1:${server.addr.port}'}`));
  const nobody = refusal(kubeconfig("{server: 'http://127.0.0.1:1'}"));
  assertMatch(await shop, /healthz/);
  assertMatch(await nobody, /refused/);
  await server.shutdown();
});

Deno.test("a root CA file that holds no certificate is refused by its name", async () => {
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, "not a certificate");
  const line = await refusal(kubeconfig("{server: 'http://127.0.0.1:1'}"), `--root-ca-file=${path}`);
  assertStringIncludes(line, `error parsing root-ca-file at ${path}`);
  await Deno.remove(path);
});

for (const command of ["explain", "why"]) {
  Deno.test(`${command} ends at the first Ctrl-C while a server does not answer, and says so`, async () => {
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = `http://127.0.0.1:${silent.addr.port}`;
    const kubeconfig = await Deno.makeTempFile();
    await Deno.writeTextFile(kubeconfig, kubeconfigText({ server }));
    await using asking = new KubeloopProcess(command, "ns/shop", `--kubeconfig=${kubeconfig}`);
    using _connection = await silent.accept();
    assertEquals(await asking.stop("SIGINT"), { code: 1, err: "Error: stopped by SIGINT\n" });
    await Deno.remove(kubeconfig);
  });
}
