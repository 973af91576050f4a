import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { stripAnsiCode } from "@std/fmt/colors";
import { FakeWorld } from "../../src/base/mod.ts";
import { DEPLOYMENTS, type Event, NODES, PODS } from "../../src/api/mod.ts";
import { ManifestError } from "../../src/client/mod.ts";
import { Board } from "../../src/cli/dev/board.ts";
import { SHOWN_KINDS } from "../../src/cli/dev/kinds.ts";
import { readManifests } from "../../src/cli/dev/manifests.ts";
import { screen } from "../../src/cli/dev/screen.ts";
import { PlainView, TerminalView } from "../../src/cli/dev/views.ts";

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

Deno.test("Board: tally counts the objects of a kind that are there, and those of them that are ready", () => {
  const board = new Board();
  const pods = kindOf(PODS);
  board.note(pods, "a/1", { ready: true, text: "Running" });
  board.note(pods, "a/2", { ready: false, text: "Pending" });
  assertEquals(board.note(pods, "a/1", { ready: false, text: "Failed" })?.text, "Running");
  assertEquals(board.tally(pods), { ready: 0, total: 2 });
  board.note(pods, "a/2", undefined);
  assertEquals([board.tally(pods).total, board.tally(kindOf(NODES)).total], [1, 0]);
});

Deno.test("Board: an event that is told again takes its new place; only the last fifty are kept", () => {
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

Deno.test("screen shows steps, objects by kind with ready counts, and the last events, within the terminal", () => {
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
    "     7s  Scheduled            Pod default/web: a text that …",
  ]);
  assertEquals(at(60, 11).slice(-1), ["     7s  Scheduled            Pod default/web: a text that …"]);
  for (const rows of [1, 2, 5, 8, 12]) {
    const lines = at(30, rows);
    assert(lines.length < Math.max(2, rows) && lines.every((line) => line.length <= 30), `${rows} rows`);
  }
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
  for (const name of ["b.yaml", "a.json", "notes.txt"]) await Deno.writeTextFile(`${folder}/${name}`, name);
  assertEquals(await readManifests([]), undefined);
  assertEquals(await readManifests([folder, `${folder}/notes.txt`]), "a.json\n---\nb.yaml\n---\nnotes.txt");
  await Deno.mkdir(`${folder}/empty`);
  await assertRejects(() => readManifests([`${folder}/empty`]), ManifestError, "holds no .yaml, .yml or .json file");
  await assertRejects(
    () => readManifests(["/no/such.yaml"]),
    ManifestError,
    'Cannot read the manifest "/no/such.yaml"',
  );
  await Deno.remove(folder, { recursive: true });
});
