import { assertEquals } from "@std/assert";
import { createLogger } from "../../../src/log/klog.ts";
import { FakeClock } from "../../../src/base/mod.ts";

function setUp() {
  const lines: string[] = [];
  const clock = new FakeClock({ startWallMs: 1580306777048.125 });
  const log = createLogger({
    format: "json",
    verbosity: 4,
    pid: 1,
    clock,
    write: (line) => {
      lines.push(line);
    },
  });
  return { log, lines };
}

Deno.test("createLogger prints lines of JSON with ts, logger, caller, msg, v and the fields", () => {
  const { log, lines } = setUp();
  log.info("Starting", { version: "v1" });
  log.named("job-controller").verbose(4, 'Say "hi"\n', { job: { namespace: "x", name: "y" }, n: 2, list: [1] });
  log.warn("Odd");
  assertEquals(lines, [
    '{"ts":1580306777048.125,"caller":"kubeloop","msg":"Starting","v":0,"version":"v1"}\n',
    '{"ts":1580306777048.125,"logger":"job-controller","caller":"job-controller","msg":"Say \\"hi\\"\\n","v":4,' +
    '"job":{"namespace":"x","name":"y"},"n":2,"list":[1]}\n',
    '{"ts":1580306777048.125,"caller":"kubeloop","msg":"Odd","v":0}\n',
  ]);
});

Deno.test("createLogger prints errors as JSON without v and with err", () => {
  const { log, lines } = setUp();
  log.error("Sync failed", { err: new Error("no"), key: "a" });
  log.error("Without");
  assertEquals(lines.map((line) => JSON.parse(line)), [
    { ts: 1580306777048.125, caller: "kubeloop", msg: "Sync failed", key: "a", err: "no" },
    { ts: 1580306777048.125, caller: "kubeloop", msg: "Without" },
  ]);
});

Deno.test("createLogger prints JSON for values that JSON does not have", () => {
  const { log, lines } = setUp();
  const pod = { kind: "Pod", metadata: { namespace: "x", name: "y" }, spec: {} };
  log.info("m", { big: 2n ** 70n, absent: undefined, none: null, fn: Symbol("s"), pod });
  const { big, none, fn, pod: shown, ...rest } = JSON.parse(lines[0]);
  assertEquals([big, none, fn, shown], ["1180591620717411303424", null, "Symbol(s)", { namespace: "x", name: "y" }]);
  assertEquals("absent" in rest, false);
});
