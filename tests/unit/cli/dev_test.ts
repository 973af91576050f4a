import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { stripAnsiCode } from "@std/fmt/colors";
import { FakeWorld } from "../../../src/base/mod.ts";
import { DEPLOYMENTS, type Event, NODES, PODS } from "../../../src/api/mod.ts";
import { ManifestError } from "../../../src/client/mod.ts";
import { Board } from "../../../src/cli/dev/board.ts";
import { SHOWN_KINDS } from "../../../src/cli/dev/kinds.ts";
import { readManifests } from "../../../src/cli/dev/manifests.ts";
import { screen } from "../../../src/cli/dev/screen.ts";
import { PlainView, TerminalView } from "../../../src/cli/dev/views.ts";
import { wrap } from "../../../src/cli/dev/wrap.ts";

const START_MS = Date.UTC(2026, 0, 1);
const kindOf = (resource: unknown) => SHOWN_KINDS.find((kind) => kind.resource === resource)!;

function event(name: string, { type = "Normal", message = "did something" } = {}): Event {
  return {
    metadata: { name, uid: name, namespace: "default" },
    involvedObject: { kind: "Pod", namespace: "default", name: "web" },
    type,
    reason: "Scheduled",
    message,
    lastTimestamp: "2026-01-01T00:00:00Z",
  };
}

/** A terminal of 60 columns that remembers what was written to it. */
class FakeTerminal {
  written = "";
  rows = 20;

  writeSync(bytes: Uint8Array): number {
    // As a busy terminal: not everything at once.
    const taken = bytes.subarray(0, 50);
    this.written += new TextDecoder().decode(taken);
    return taken.length;
  }

  size() {
    return { columns: 60, rows: this.rows };
  }

  /** What was written since the last call. */
  take(): string {
    const text = this.written;
    this.written = "";
    return text;
  }
}

Deno.test("Board: tally counts the objects of a kind, and how many of them are ready", () => {
  const board = new Board();
  const pods = kindOf(PODS);
  board.note(pods, "a/1", { ready: true, text: "Running" });
  board.note(pods, "a/2", { ready: false, text: "Pending" });
  assertEquals(board.note(pods, "a/1", { ready: false, text: "Failed" })?.text, "Running");
  assertEquals(board.tally(pods), { ready: 0, total: 2 });
  board.note(pods, "a/2", undefined);
  assertEquals([board.tally(pods).total, board.tally(kindOf(NODES)).total], [1, 0]);
});

Deno.test("Board: an event that repeats takes its new place; only the last fifty are kept", () => {
  const board = new Board();
  for (let i = 0; i < 51; i++) board.noteEvent(event(`e${i}`));
  board.noteEvent(event("e1"));
  assertEquals(board.events.length, 50);
  assertEquals([board.events[0].metadata?.name, board.events.at(-1)?.metadata?.name], ["e2", "e1"]);
});

Deno.test("SHOWN_KINDS: a Deployment is ready when its rollout is complete", () => {
  const { standing } = kindOf(DEPLOYMENTS);
  const of = (status: object) => standing({ metadata: { generation: 2 }, spec: { replicas: 2 }, status } as never);
  const complete = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 2 };
  assertEquals(of(complete), { ready: true, text: "2/2 ready, 2 up to date, 2 in all" });
  for (const less of [{ observedGeneration: 1 }, { replicas: 3 }, { updatedReplicas: 1 }, { readyReplicas: 1 }]) {
    assertEquals(of({ ...complete, ...less }).ready, false, JSON.stringify(less));
  }
  assertEquals(of({}), { ready: false, text: "0/2 ready, 0 up to date, 0 in all" });
});

Deno.test("screen shows steps, objects by kind with ready counts, and the last events, for a TerminalView: lines are never longer than the terminal is wide, nor more than it has rows", () => {
  const board = new Board();
  board.heading = ["kubeloop dev", "kubectl --kubeconfig .kubeloop/kubeconfig get all"];
  board.step("API server", true);
  board.step("3 nodes", false);
  board.note(kindOf(NODES), "node-0", { ready: false, text: "" });
  board.note(kindOf(DEPLOYMENTS), "default/web", { ready: true, text: "" });
  board.noteEvent(event("old"));
  board.noteEvent(event("new", { message: "a text that is\nmuch too long to be shown in so few columns" }));
  const at = (columns: number, rows: number) =>
    screen(board, { columns, rows, nowMs: START_MS + 7000 }).map((line): string => stripAnsiCode(line));
  assertEquals(at(60, 24), [
    "kubeloop dev",
    "kubectl --kubeconfig .kubeloop/kubeconfig get all",
    "",
    "  ✓ API server  · 3 nodes",
    "",
    "  nodes                          0/1",
    "  deployments                    1/1",
    "",
    "     7s  Scheduled            Pod default/web: did something",
    "     7s  Scheduled            Pod default/web: a text that",
    "         is much too long to be shown in so few columns",
  ]);
  assertEquals(at(60, 11).slice(-3), ["", ...at(60, 24).slice(-2)], "the last one, which fits as a whole");
  assertEquals(at(60, 10).slice(-1), ["     7s  Scheduled            Pod default/web: a text that"]);
  for (const rows of [1, 2, 5, 8, 12]) {
    const lines = at(30, rows);
    assert(lines.length < Math.max(2, rows) && lines.every((line) => line.length <= 30), `${rows} rows`);
  }
});

Deno.test("screen shows the age of an event's last time, also where the event counts in a series", () => {
  const board = new Board();
  const lastObservedTime = "2026-01-01T00:00:30.000000Z";
  const eventTime = "2026-01-01T00:00:00.000000Z";
  board.noteEvent({ ...event("e"), lastTimestamp: undefined, eventTime, series: { count: 2, lastObservedTime } });
  const lines = screen(board, { columns: 80, rows: 24, nowMs: START_MS + 40_000 }).map((line) => stripAnsiCode(line));
  assertEquals(lines.at(-1), "    10s  Scheduled            Pod default/web: did something");
});

Deno.test("screen shows the end of each message, where its reason stands, and nothing that moves the cursor", () => {
  const board = new Board();
  const message = "Failed to pull image: ".padEnd(150, "x") + "\x1b[2J\u202e: not found";
  board.noteEvent(event("e", { type: "Warning", message }));
  const lines = screen(board, { columns: 40, rows: 24, nowMs: START_MS }).map((line): string => stripAnsiCode(line));
  assertStringIncludes(lines.at(-1)!, "not found");
  assert(lines.every((line) => line.length <= 40), JSON.stringify(lines));
  assert(!lines.join("").includes("\x1b"));
});

Deno.test("wrap breaks at spaces, and within what is wider than a line; wide characters count twice", () => {
  assertEquals(wrap("", { columns: 5 }), [""]);
  assertEquals(wrap("12345", { columns: 5 }), ["12345"]);
  assertEquals(wrap("12 345 6789012", { columns: 5, indent: 2 }), ["12", "  345", "  678", "  901", "  2"]);
  assertEquals(wrap("東京都港区", { columns: 5 }), ["東京", "都港", "区"]);
  assertEquals(wrap("e\u0301e\u0301e\u0301", { columns: 2 }), ["e\u0301e\u0301", "e\u0301"]);
  assertEquals(wrap("東京", { columns: 1, indent: 4 }), ["東", "京"], "nothing is lost where there is no room");
  // An event's message may be a megabyte: in quadratic time that would take minutes.
  assertEquals(wrap("x".repeat(1_000_000), { columns: 80 }).length, 12_500);
});

Deno.test("TerminalView: it is redrawn at most ten times a second, and at least once a second", async () => {
  const { clock, ...rest } = new FakeWorld();
  const terminal = new FakeTerminal();
  const view = new TerminalView({ world: { ...rest, clock }, terminal, board: new Board() });
  const drawings = () => terminal.take().split("\r").length - 1;
  assertEquals(drawings(), 1);
  for (let i = 0; i < 100; i++) {
    view.changed();
    await clock.advance(10);
  }
  const often = drawings();
  assert(often >= 9 && often <= 11, `${often} drawings in a second`);
  await clock.advance(1000);
  drawings();
  await clock.advance(3000);
  assertEquals(drawings(), 3);
  view[Symbol.dispose]();
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("TerminalView: a line of the log is printed above, and stays", () => {
  const terminal = new FakeTerminal();
  const board = new Board();
  board.heading = ["heading"];
  using view = new TerminalView({ world: new FakeWorld(), terminal, board });
  terminal.take();
  view.log("E0101 something\n");
  const text = stripAnsiCode(terminal.take());
  assertStringIncludes(text, "E0101 something\nheading");
});

Deno.test("TerminalView: when it is disposed of, the last state is on the terminal and the cursor shows", () => {
  const terminal = new FakeTerminal();
  const board = new Board();
  const view = new TerminalView({ world: new FakeWorld(), terminal, board });
  assertStringIncludes(terminal.take(), "\x1b[?25l");
  board.heading = ["the end"];
  view[Symbol.dispose]();
  const text = terminal.take();
  assertStringIncludes(text, "the end");
  assert(text.endsWith("\x1b[?25h"));
});

Deno.test("PlainView prints lines, and the log where errors go", () => {
  const lines = new FakeTerminal();
  const errors = new FakeTerminal();
  using view = new PlainView({ lines, errors });
  view.changed();
  view.say("deployment default/web: 1/1 ready");
  view.log("E0101 something\n");
  assertEquals([lines.take(), errors.take()], ["deployment default/web: 1/1 ready\n", "E0101 something\n"]);
});

Deno.test("readManifests reads files and the manifests of a directory in order of name", async () => {
  const folder = await Deno.makeTempDir();
  const object = (name: string) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  for (const name of ["b.yaml", "a.json", "notes.txt"]) await Deno.writeTextFile(`${folder}/${name}`, object(name));
  await Deno.symlink("notes.txt", `${folder}/c.yml`);
  const names = async (...paths: string[]) =>
    (await readManifests(paths)).map(({ name, objects }) => [name, ...objects.map(({ metadata }) => metadata?.name)]);
  assertEquals(await names(), []);
  assertEquals(await names(`${folder}/`, `${folder}/notes.txt`), [
    [`${folder}/a.json`, "a.json"],
    [`${folder}/b.yaml`, "b.yaml"],
    [`${folder}/c.yml`, "notes.txt"],
    [`${folder}/notes.txt`, "notes.txt"],
  ]);
  await Deno.mkdir(`${folder}/empty`);
  await assertRejects(() => readManifests([`${folder}/empty`]), ManifestError, "holds no .yaml, .yml or .json file");
  await assertRejects(
    () => readManifests(["/no/such.yaml"]),
    ManifestError,
    'Cannot read the manifest "/no/such.yaml"',
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("readManifests names the file and the line of what cannot be read", async () => {
  const folder = await Deno.makeTempDir();
  const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";
  await Deno.writeTextFile(`${folder}/a.yaml`, good);
  const cases: [text: string, said: string][] = [
    [`# one\n---\n${good}---\nkind: [\n`, "at line 8, column 1"],
    ["a: b\na: c\n", "duplicated key at line 2, column 1"],
    [
      `---\n# one\n---\n${good}---\n# two\n\nkind: Pod\n`,
      "document 2 (line 10) has no apiVersion and no metadata.name",
    ],
    [`${good}...\n%YAML 1.2\n--- just text\n`, "document 2 (line 6) is not an object"],
    ["[".repeat(100_000), "it is nested too deeply"],
    ["# nothing\n---\n", "it contains no object"],
  ];
  for (const [text, said] of cases) {
    await Deno.writeTextFile(`${folder}/b.yaml`, text);
    const { message } = await assertRejects(() => readManifests([`${folder}/b.yaml`]), ManifestError);
    assertStringIncludes(message, `Cannot read the manifest "${folder}/b.yaml": `);
    assertStringIncludes(message, said);
    if (!said.includes("no object")) {
      assertEquals(await readManifests([folder]).catch((error) => error.message), message);
    }
  }
  await Deno.remove(folder, { recursive: true });
});
