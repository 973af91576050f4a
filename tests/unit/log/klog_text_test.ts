import { assertEquals, assertMatch } from "@std/assert";
import { createLogger, type KlogOptions } from "../../../src/log/klog.ts";
import { FakeClock, type LogFields } from "../../../src/base/mod.ts";

/** A moment in local time, since that is what the header shows. */
const MOMENT = new Date(2026, 0, 2, 15, 4, 5).getTime() + 678.9;

function setUp(options: Partial<KlogOptions> = {}) {
  const lines: string[] = [];
  const clock = new FakeClock({ startWallMs: MOMENT });
  const write = (line: string) => void lines.push(line);
  const log = createLogger({ format: "text", verbosity: 0, pid: 123, clock, write, ...options });
  return { log, lines, clock };
}

/** What is printed after the header for fields of an info line. */
function printed(fields: LogFields): string {
  const { log, lines } = setUp();
  log.info("m", fields);
  return lines[0].slice(lines[0].indexOf('] "m"') + '] "m"'.length).replace(/\n$/, "").trimStart();
}

Deno.test("createLogger prints klog's header: severity, local time with microseconds, pid, logger", () => {
  const { log, lines } = setUp();
  log.info("Starting");
  log.warn("Odd");
  log.error("Bad");
  assertEquals(lines, [
    'I0102 15:04:05.678900     123 kubeloop] "Starting"\n',
    'W0102 15:04:05.678900     123 kubeloop] "Odd"\n',
    'E0102 15:04:05.678900     123 kubeloop] "Bad"\n',
  ]);
});

Deno.test("createLogger shows the time of each line", async () => {
  const { log, lines, clock } = setUp();
  log.info("a");
  await clock.advance(321.1);
  log.info("b");
  await clock.advance(86_400_000);
  log.info("c");
  assertEquals(lines.map((line) => line.slice(0, 21)), [
    "I0102 15:04:05.678900",
    "I0102 15:04:06.000000",
    "I0103 15:04:06.000000",
  ]);
});

Deno.test("createLogger prints the logger's name as place and as first key, joined by dots", () => {
  const { log, lines } = setUp();
  log.named("job-controller").named("orphans").info("Synced", { n: 1 });
  assertMatch(lines[0], / job-controller\.orphans\] "Synced" logger="job-controller\.orphans" n=1\n$/);
});

Deno.test("createLogger prints an error's err before the logger's name and the other keys", () => {
  const { log, lines } = setUp();
  log.named("x").error("Sync failed", { key: "default/web", err: new Error('pod "web" not found') });
  assertMatch(lines[0], /\] "Sync failed" err="pod \\"web\\" not found" logger="x" key="default\/web"\n$/);
});

Deno.test("createLogger prints values as klog does", () => {
  const cases: [LogFields, string][] = [
    [{ s: "plain" }, 's="plain"'],
    [
      { s: 'a "quoted" \\ tab\t bell\x07 nul\x00 é \u200b \u{1f600} \u{e0001}' },
      [
        's="a \\"quoted\\" \\\\ tab\\t bell\\a nul\\x00 é \\u200b \u{1f600} \\U000e0001"',
      ].join(""),
    ],
    [{ n: 3, f: 1.5, b: true, big: 12345678901234567890n }, "n=3 f=1.5 b=true big=12345678901234567890"],
    [{ pod: { namespace: "kube-system", name: "dns" } }, 'pod="kube-system/dns"'],
    [{ pod: { name: "dns", namespace: "kube-system" } }, 'pod="kube-system/dns"'],
    [{ node: { name: "n1" } }, 'node="n1"'],
    [{ node: { namespace: "", name: "n1" } }, 'node="n1"'],
    [{ node: { namespace: undefined, name: "n1" } }, 'node="n1"'],
    [{ pod: { kind: "Pod", metadata: { namespace: "x", name: "y", uid: "1" }, spec: { secret: 1 } } }, 'pod="x/y"'],
    [{ o: { name: "n", other: 1 } }, 'o={"name":"n","other":1}'],
    [{ list: ["a", 1, null] }, 'list=["a",1,null]'],
    [{ none: null, absent: undefined }, "none=null"],
    [{ cause: new Error("inner") }, 'cause="inner"'],
    [{ nested: { err: new Error("inner"), big: 5n } }, 'nested={"err":"inner","big":"5"}'],
    [{ f: Symbol("x") }, 'f="Symbol(x)"'],
  ];
  for (const [fields, text] of cases) assertEquals(printed(fields), text);
});

Deno.test("createLogger prints a value with several lines as it is, indented", () => {
  assertEquals(printed({ diff: "one\ntwo" }), "diff=<\n\tone\n\ttwo\n >");
  assertEquals(printed({ diff: "one\ntwo\n", n: 1 }), "diff=<\n\tone\n\ttwo\n > n=1");
  assertEquals(printed({ err: new Error("a\n\nb") }), "err=<\n\ta\n\n\tb\n >".replace("\n\n", "\n\t\n"));
});

Deno.test("createLogger survives values that cannot be shown", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  assertMatch(printed({ cycle }), /^cycle="<cannot be shown: Converting circular structure/);
});

Deno.test("createLogger does not take braces in a message for placeholders", () => {
  const { log, lines } = setUp();
  log.info("Patching {metadata}", { metadata: 1 });
  assertMatch(lines[0], /\] "Patching \{metadata\}" metadata=1\n$/);
});
