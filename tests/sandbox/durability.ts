/** What must hold of a data directory whose writer is killed, again and again. */
import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { SeededRandom } from "../../src/base/mod.ts";

/** The writer is killed after less than this many acknowledged writes. */
const MOST_WRITES = 40;

/** What a writer found when it started. */
interface Found {
  readonly revision: number;
  readonly numbers: [name: string, number: number][];
  readonly revisions: Record<string, number>;
}

/** What was done to one object, as far as its writer could tell. */
interface Known {
  /** The number of the last acknowledged write; 0 for an object that is not there. */
  readonly number: number;
  /** That of the write that was under way when the writer was killed. */
  readonly underWay?: number;
}

/** What came of it. */
export interface Durability {
  readonly kills: number;
  /** Acknowledged writes that were looked for. */
  readonly writes: number;
  /** Kills that met a write under way. */
  readonly interrupted: number;
}

/**
 * Starts a writer over the same new data directory `kills` times and kills it with SIGKILL at a moment that the seed chooses.
 *
 * @throws {AssertionError} If a start finds that an acknowledged write is missing, half done, or that revisions went back.
 */
export async function killWriters(
  { kills, seed }: { readonly kills: number; readonly seed: number },
): Promise<Durability> {
  const parent = await Deno.makeTempDir();
  const random = new SeededRandom(seed);
  const known = new Map<string, Known>();
  let revision = 1;
  let writes = 0;
  let interrupted = 0;
  try {
    for (let kill = 0; kill <= kills; kill++) {
      const afterWrites = kill === kills ? 0 : Math.floor(random.float() * MOST_WRITES);
      const [first, ...lines] = await runWriter(`${parent}/data`, { seed: seed + kill, afterWrites });
      const found: Found = JSON.parse(first.slice("state ".length));
      check(found, known, { revision, kill });
      revision = found.revision;
      known.clear();
      for (const [name, number] of found.numbers) known.set(name, { number });
      for (const line of lines) revision = Math.max(revision, follow(known, line));
      writes += lines.filter((line) => line.startsWith("done ")).length;
      if ([...known.values()].some(({ underWay }) => underWay !== undefined)) interrupted++;
    }
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
  return { kills, writes, interrupted };
}

/** Starts a process that writes until it is killed. */
export function startWriter(dataDir: string, seed: number): Deno.ChildProcess {
  const bundle = Deno.env.get("KUBELOOP_BUNDLE");
  const script = bundle
    ? join(dirname(bundle), "durability_writer.js")
    : join(import.meta.dirname!, "durability_writer.ts");
  const config = join(bundle ? dirname(bundle) : join(import.meta.dirname!, "../.."), "deno.json");
  const args = ["run", "--no-check", "--allow-all", "--config", config, script, dataDir, String(seed)];
  return new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
}

/** The complete lines that a writer prints until it is killed, while it goes on after so many acknowledged writes. */
async function runWriter(
  dataDir: string,
  { seed, afterWrites }: { readonly seed: number; readonly afterWrites: number },
): Promise<string[]> {
  const writer = startWriter(dataDir, seed);
  let text = "";
  let isKilled = false;
  for await (const part of writer.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (isKilled || !text.includes("\n") || text.split("\ndone ").length <= afterWrites) continue;
    isKilled = true;
    writer.kill("SIGKILL");
  }
  const { signal } = await writer.status;
  assertEquals(signal, "SIGKILL", `the writer ended by itself: ${text}`);
  return text.split("\n").slice(0, -1);
}

/** Notes what a line says; the revision that it tells, if any. */
function follow(known: Map<string, Known>, line: string): number {
  const [what, name, number, revision] = line.split(" ");
  if (what === "done") known.set(name, { number: Number(number) });
  else known.set(name, { number: known.get(name)?.number ?? 0, underWay: Number(number) });
  return Number(revision ?? 0);
}

function check(
  found: Found,
  known: ReadonlyMap<string, Known>,
  { revision, kill }: { readonly revision: number; readonly kill: number },
): void {
  const after = `after kill ${kill}`;
  assert(found.revision >= revision, `resourceVersions went back from ${revision} to ${found.revision} ${after}`);
  const numbers = new Map(found.numbers);
  for (const [name, { number, underWay }] of known) {
    const holds = numbers.get(name) ?? 0;
    const expected = underWay === undefined ? `${number}` : `${number} or ${underWay}`;
    assert(holds === number || holds === underWay, `${name} is ${holds}, not ${expected}, ${after}`);
  }
  for (const name of numbers.keys()) assert(known.has(name), `${name} came from nowhere ${after}`);
  for (const each of Object.values(found.revisions)) assert(each <= found.revision, `an object is ahead ${after}`);
}
