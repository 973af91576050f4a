import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { ExecPlugin } from "../../../../src/client/credentials/exec_plugin.ts";
import { type ExecRequest, runProcess } from "../../../../src/client/credentials/exec_runner.ts";
import type { ExecConfig } from "../../../../src/client/mod.ts";
import { outcomeOf } from "../test_server.ts";

const V1 = "client.authentication.k8s.io/v1";
const CONFIG: ExecConfig = {
  command: "login",
  args: ["--now"],
  env: [{ name: "A", value: "b" }],
  apiVersion: V1,
  interactiveMode: "Never",
  provideClusterInfo: false,
  installHint: "",
};

const answer = (status: unknown, apiVersion = V1) => JSON.stringify({ kind: "ExecCredential", apiVersion, status });

/** A plugin whose runs give the results of a list, the last again and again. */
function plugin(results: readonly (string | number | Error)[], config: Partial<ExecConfig> = {}, isTerminal = false) {
  const world = new FakeWorld();
  const metrics = new MetricsRegistry();
  const runs: ExecRequest[] = [];
  const exec = new ExecPlugin({
    world,
    metrics,
    config: { ...CONFIG, ...config },
    isTerminal: () => isTerminal,
    run: (request) => {
      runs.push(request);
      const result = results[Math.min(runs.length, results.length) - 1];
      if (result instanceof Error) return Promise.reject(result);
      return Promise.resolve(typeof result === "number" ? { code: result, stdout: "" } : { code: 0, stdout: result });
    },
  });
  return { world, metrics, runs, exec };
}

Deno.test("ExecPlugin runs the command with its arguments, variables and what it is asked for", async () => {
  const cluster = { server: "https://h", certificateAuthority: "CA", insecureSkipTlsVerify: true, config: { a: 1 } };
  const { exec, runs } = plugin([answer({ token: "t" })], { cluster });
  assertEquals(await exec.authorization(), "Bearer t");
  const { KUBERNETES_EXEC_INFO, ...env } = runs[0].env;
  assertEquals([runs[0].command, runs[0].args, env, runs[0].interactive], ["login", ["--now"], { A: "b" }, false]);
  assertEquals(JSON.parse(KUBERNETES_EXEC_INFO), {
    kind: "ExecCredential",
    apiVersion: V1,
    spec: {
      interactive: false,
      cluster: {
        server: "https://h",
        "insecure-skip-tls-verify": true,
        "certificate-authority-data": btoa("CA"),
        config: { a: 1 },
      },
    },
  });
});

Deno.test("ExecPlugin: the program runs when there is no answer yet, when the answer has expired; an answer without an end lasts for ever", async () => {
  const { world, exec, runs } = plugin([
    answer({ token: "1", expirationTimestamp: "2026-01-01T01:00:00Z" }),
    answer({ token: "2" }),
  ]);
  await exec.authorization();
  await world.clock.advance(3_599_999);
  assertEquals([await exec.authorization(), runs.length], ["Bearer 1", 1]);
  await world.clock.advance(1);
  assertEquals(await exec.authorization(), "Bearer 2");
  await world.clock.advance(1e9);
  assertEquals([await exec.authorization(), runs.length], ["Bearer 2", 2]);
});

Deno.test("ExecPlugin: the program runs when there is no answer yet, when the answer has expired, and after a 401 to what it answered, once", async () => {
  const inAnHour = { expirationTimestamp: "2026-01-01T01:00:00Z" };
  const { exec, runs } = plugin([answer({ token: "1", ...inAnHour }), answer({ token: "2", ...inAnHour })]);
  const sent = await exec.authorization();
  await Promise.all([exec.refused(sent), exec.refused(sent)]);
  await exec.refused(sent); // a late 401 to the old token
  assertEquals([await exec.authorization(), runs.length], ["Bearer 2", 2]);
});

Deno.test("ExecPlugin: after a failed run following a 401 the old answer stays in use", async () => {
  const { world, exec } = plugin([answer({ token: "1" }), 3]);
  await exec.refused(await exec.authorization());
  assertEquals(await exec.authorization(), "Bearer 1");
  assertEquals(world.log.lines.map(({ severity }) => severity), ["error"]);
});

Deno.test("ExecPlugin: it runs once at a time: requests meanwhile wait for the same answer", async () => {
  const { exec, runs } = plugin([answer({ token: "1" })]);
  await Promise.all([exec.authorization(), exec.authorization(), exec.certificate()]);
  assertEquals(runs.length, 1);
});

Deno.test("ExecPlugin: a client certificate other than the one before is told to onCertificate; with one, no token is sent", async () => {
  const pair = (cert: string) => answer({ clientCertificateData: cert, clientKeyData: "K" });
  const { exec } = plugin([pair("A"), pair("A"), pair("B")]);
  let changes = 0;
  exec.onCertificate = () => changes++;
  assertEquals([await exec.certificate(), await exec.authorization()], [{ cert: "A", key: "K" }, undefined]);
  await exec.refused(undefined);
  assertEquals(changes, 0);
  await exec.refused(undefined);
  assertEquals([changes, (await exec.certificate())?.cert], [1, "B"]);
});

/** Runs that fail, by the message. */
const FAILURES: readonly (readonly [message: string, result: string | number | Error])[] = [
  ["exec: executable login failed with exit code 7", 7],
  ["exec: executable login not found", new Deno.errors.NotFound("no such file")],
  ["exec: executable login could not be run: PermissionDenied: no", new Deno.errors.PermissionDenied("no")],
  ["decoding stdout: it is not JSON", "hello"],
  ["decoding stdout: it is not an object", "null"],
  ['decoding stdout: kind is "Pod", not ExecCredential', `{"kind":"Pod"}`],
  [
    `exec plugin is configured to use API version ${V1}, plugin returned version ${V1}beta1`,
    answer({ token: "t" }, `${V1}beta1`),
  ],
  ["exec plugin didn't return a status field", answer(undefined)],
  ["exec plugin didn't return a token or cert/key pair", answer({})],
  ["exec plugin returned only certificate or key, not both", answer({ token: "t", clientKeyData: "k" })],
  ["decoding stdout: status.token is not a string", answer({ token: 5 })],
  ['parsing time "soon"', answer({ token: "t", expirationTimestamp: "soon" })],
];

for (const [message, result] of FAILURES) {
  Deno.test(`ExecPlugin fails the request: ${message}`, async () => {
    const { exec, runs } = plugin([result]);
    await assertRejects(async () => await exec.authorization(), Error, `getting credentials: ${message}`);
    await assertRejects(async () => await exec.authorization(), Error);
    assertEquals(runs.length, 2);
  });
}

Deno.test("ExecPlugin hints at how to install the command at most ten times an hour", async () => {
  const { world, exec } = plugin([new Deno.errors.NotFound("x")], { installHint: "brew install login" });
  let hints = 0;
  for (let i = 0; i < 12; i++) {
    const error = await assertRejects(async () => await exec.authorization(), Error);
    if (error.message.endsWith(": brew install login")) hints++;
  }
  assertEquals(hints, 10);
  await world.clock.advance(3_600_000);
  const error = await assertRejects(async () => await exec.authorization(), Error);
  assertStringIncludes(error.message, "brew install login");
});

Deno.test("ExecPlugin is interactive only where the mode and the terminal allow it", async () => {
  const cases = [
    ["Never", true, false],
    ["IfAvailable", true, true],
    ["IfAvailable", false, false],
    ["Always", true, true],
  ] as const;
  for (const [interactiveMode, isTerminal, expected] of cases) {
    const { exec, runs } = plugin([answer({ token: "t" })], { interactiveMode }, isTerminal);
    await exec.authorization();
    assertEquals(runs[0].interactive, expected);
  }
  const { exec } = plugin([answer({ token: "t" })], { interactiveMode: "Always" }, false);
  await assertRejects(async () => await exec.authorization(), Error, "standard input is not a terminal");
});

Deno.test("ExecPlugin counts runs, and says how long the answer lasts", async () => {
  const { exec, metrics } = plugin([7, answer({ token: "1", expirationTimestamp: "2026-01-01T01:00:00Z" })]);
  await assertRejects(async () => await exec.authorization());
  await exec.authorization();
  const text = metrics.render();
  assertStringIncludes(text, 'call_total{code="7",call_status="plugin_execution_error"} 1');
  assertStringIncludes(text, 'call_total{code="0",call_status="no_error"} 1');
  assertStringIncludes(text, "rest_client_exec_plugin_ttl_seconds 3600");
});

Deno.test("runProcess gives a real command its variables, and takes its output and code", async () => {
  const run = (script: string) => {
    const args = ["eval", script];
    return runProcess({ command: Deno.execPath(), args, env: { KUBELOOP_X: "y" }, interactive: false });
  };
  assertEquals(await run("console.log(Deno.env.get('KUBELOOP_X'))"), { code: 0, stdout: "y\n" });
  assertEquals((await run("Deno.exit(3)")).code, 3);
  await assertRejects(
    () => runProcess({ command: "/no/such/command", args: [], env: {}, interactive: false }),
    Deno.errors.NotFound,
  );
});

Deno.test("ExecPlugin: a run that takes more than a minute is ended and has failed, unless it may ask a person questions", async () => {
  for (const interactive of [false, true]) {
    const world = new FakeWorld();
    const hangs = ({ signal }: ExecRequest) =>
      new Promise<never>((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
    const config: ExecConfig = { ...CONFIG, interactiveMode: "IfAvailable" };
    const isTerminal = () => interactive;
    const exec = new ExecPlugin({ world, metrics: new MetricsRegistry(), config, isTerminal, run: hangs });
    const asked = outcomeOf(exec.authorization());
    await world.clock.advance(59_999);
    assertEquals(asked.isSettled, false);
    await world.clock.advance(1);
    assertEquals([asked.isSettled, world.clock.pendingTimers], [!interactive, 0]);
    if (!interactive) assertStringIncludes(String(asked.error), "it has not ended within 60 s");
  }
});

Deno.test("runProcess kills a command when the signal aborts, or when it writes without end", async () => {
  const run = (script: string, signal?: AbortSignal) =>
    runProcess({ command: "sh", args: ["-c", script], env: {}, interactive: false, signal });
  const stop = new AbortController();
  const running = run("trap '' TERM; while :; do sleep 0.01; done", stop.signal);
  stop.abort(new Error("stopped"));
  await assertRejects(() => running, Error, "stopped");
  await assertRejects(() => run("yes"), RangeError, "more than 1048576 bytes");
  await assertRejects(() => run("true", AbortSignal.abort(new Error("before"))), Error, "before");
});
