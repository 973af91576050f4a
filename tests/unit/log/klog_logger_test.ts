import { assert, assertEquals, assertThrows } from "@std/assert";
import { configureSync, getConfig, getLogger, type LogRecord, resetSync } from "@logtape/logtape";
import { createLogger, type KlogOptions } from "../../../src/log/klog.ts";
import { StderrWriter } from "../../../src/log/klog_stderr.ts";
import { FakeClock } from "../../../src/base/mod.ts";

function setUp(options: Partial<KlogOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line.slice(line.indexOf("] ") + 2, -1));
  const log = createLogger({ format: "text", verbosity: 0, pid: 1, clock: new FakeClock(), write, ...options });
  return { log, lines };
}

Deno.test("Logger.verbose prints from its level on, and the level can be changed for all named loggers", () => {
  const { log, lines } = setUp({ verbosity: 2 });
  const named = log.named("x");
  log.verbose(2, "two");
  log.verbose(3, "three");
  log.verbosity = 4;
  named.verbose(4, "four");
  log.verbosity = 0;
  named.verbose(1, "one");
  assertEquals(lines, ['"two"', '"four" logger="x"']);
});

Deno.test("KlogLogger.print prints text as it is, so that what searches a log for flags finds them", () => {
  const { log, lines } = setUp({ verbosity: 1 });
  log.print(1, 'FLAG: --v="1"');
  log.print(2, "too verbose");
  assertEquals(lines, ['FLAG: --v="1"']);
});

Deno.test("Logger.verbose does not look at its fields when its level is off", () => {
  const { log } = setUp();
  const fields = {
    get expensive(): string {
      throw new Error("looked at");
    },
  };
  log.verbose(1, "m", fields);
  log.named("x").verbose(9, "m", fields);
});

Deno.test("createLogger takes verbosities by logger from vmodule", () => {
  const { log, lines } = setUp({ verbosity: 1, vmodule: "job-*=4,garbage-collector=0,mid?le=3" });
  log.named("job-controller").verbose(4, "a");
  log.named("job-controller").verbose(5, "b");
  log.named("manager").named("job-controller").verbose(4, "c");
  log.named("garbage-collector").verbose(1, "d");
  log.named("middle").verbose(3, "e");
  log.named("other").verbose(2, "f");
  log.named("other").verbose(1, "g");
  assertEquals(lines.map((line) => line[1]), ["a", "c", "e", "g"]);
});

Deno.test("createLogger throws for a vmodule that is not a list of pattern=N", () => {
  for (const vmodule of ["job", "job=x", "=3", "a=1,b"]) {
    assertThrows(() => setUp({ vmodule }), TypeError, `Cannot parse vmodule "${vmodule}"`);
  }
});

Deno.test("createLogger can be used several times, each logger with its own destination", () => {
  const a = setUp();
  const b = setUp({ verbosity: 5 });
  a.log.info("to a");
  b.log.info("to b");
  a.log.verbose(5, "nowhere");
  b.log.verbose(5, "to b too");
  assertEquals([a.lines, b.lines], [['"to a"'], ['"to b"', '"to b too"']]);
  const before = getConfig();
  for (let i = 0; i < 100; i++) setUp();
  assert(getConfig() === before, "the process-global configuration is made once");
});

Deno.test("createLogger keeps the LogTape configuration of the program that embeds it", () => {
  const theirs: LogRecord[] = [];
  configureSync({
    reset: true,
    sinks: { memory: (record) => void theirs.push(record) },
    loggers: [{ category: "their-app", sinks: ["memory"] }, { category: ["logtape", "meta"], sinks: [] }],
  });
  try {
    const { log, lines } = setUp();
    log.info("ours");
    getLogger("their-app").info("theirs");
    assertEquals([lines, theirs.map(({ rawMessage }) => rawMessage)], [['"ours"'], ["theirs"]]);
  } finally {
    resetSync();
  }
});

Deno.test("createLogger: a destination that throws disturbs nobody", () => {
  const { log } = setUp({
    write: () => {
      throw new Error("disk full");
    },
  });
  log.info("m");
});

Deno.test("StderrWriter: a line is written before write returns, so that none is lost when the process ends; in as many pieces as it takes", () => {
  let out = "";
  const writer = new StderrWriter({
    writeSync: (bytes) => {
      const piece = bytes.subarray(0, 3);
      out += new TextDecoder().decode(piece);
      return piece.length;
    },
  });
  writer.write("one two\n");
  assertEquals(out, "one two\n");
});

Deno.test("StderrWriter: only if stderr is a pipe that is full and does not block, the rest waits for the next write or flush", () => {
  let out = "";
  let room = 5;
  const writer = new StderrWriter({
    writeSync: (bytes) => {
      if (room === 0) throw new Deno.errors.WouldBlock("Resource temporarily unavailable (os error 11)");
      const piece = bytes.subarray(0, room);
      room -= piece.length;
      out += new TextDecoder().decode(piece);
      return piece.length;
    },
    pause: () => void (room += 4),
  });
  writer.write("one two\n");
  writer.write("three\n");
  assertEquals(out, "one t");
  writer.flush();
  assertEquals(out, "one two\nthree\n");
  writer.flush();
});

Deno.test("StderrWriter: only if stderr is a pipe that is full and does not block, the rest waits, bounded: the oldest whole lines are dropped, and a flush gives up after a second", () => {
  let open = false;
  let out = "";
  let pausedMs = 0;
  const writer = new StderrWriter({
    writeSync: (bytes) => {
      if (!open) throw new Deno.errors.WouldBlock("full");
      out += new TextDecoder().decode(bytes);
      return bytes.length;
    },
    pause: (ms) => void (pausedMs += ms),
  });
  const filler = "x".repeat(1023);
  for (let i = 0; i < 1034; i++) writer.write(`${i}`.padEnd(5) + filler.slice(0, 1018) + "\n");
  assertEquals(writer.dropped, 10);
  writer.flush();
  assertEquals(pausedMs, 1000);
  open = true;
  writer.write("last\n");
  const numbers = out.split("\n").map((line) => parseInt(line)).filter((n) => !isNaN(n));
  assertEquals([numbers[0], numbers[1], numbers.at(-1)], [0, 11, 1033]);
  assertEquals(out.endsWith("last\n"), true);
});

Deno.test("StderrWriter: nothing is ever thrown, also when nobody reads any more", () => {
  const writer = new StderrWriter({
    writeSync: () => {
      throw new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
    },
  });
  writer.write("m\n");
  writer.flush();
});
