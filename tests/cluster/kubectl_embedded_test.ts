/**
 * The commands that people type, on the embedded server and on kube-apiserver: each prints what it should, and both the same.
 *
 * kube-apiserver's side is recorded. One chapter, another one for other commits, is played on it in each run, and compared with what was
 * recorded. `KUBELOOP_PARITY=live` plays all of them on both, `record` only records those that have changed.
 */
import { assert, assertEquals } from "@std/assert";
import { clusterTest, PARITY } from "./cluster.ts";
import { CHAPTERS } from "./kubectl_embedded/chapters.ts";
import { differences, play } from "./kubectl_embedded/play.ts";
import { Playground } from "./kubectl_embedded/playground.ts";
import { howToRecord, readRecording, writeRecording } from "./kubectl_embedded/recording.ts";
import type { Chapter, Printed } from "./kubectl_embedded/step.ts";
import { sampleOf } from "./sample.ts";

const FEWEST_COMMANDS = 250;

type Recordings = ReadonlyMap<Chapter, readonly Printed[]>;

/** Those that there are. */
async function recordings(): Promise<Recordings> {
  const all = await Promise.all(CHAPTERS.map(async (chapter) => [chapter, await readRecording(chapter)] as const));
  return new Map(all.flatMap(([chapter, printed]) => printed ? [[chapter, printed] as const] : []));
}

function notIn(recorded: Recordings): Chapter[] {
  return CHAPTERS.filter((chapter) => !recorded.has(chapter));
}

async function record(): Promise<void> {
  const chapters = notIn(await recordings());
  if (chapters.length === 0) return;
  await using real = await Playground.real();
  for (const chapter of chapters) await writeRecording(chapter, await play(real, chapter));
}

/** Plays all chapters on the embedded server, and a sample on kube-apiserver; all of them if nothing is `recorded`. */
async function compare(recorded?: Recordings): Promise<void> {
  const sample = recorded ? await sampleOf(CHAPTERS, ({ name }) => name) : CHAPTERS;
  await using embedded = await Playground.embedded();
  await using real = await Playground.real();
  let commands = 0;
  const found: object[] = [];
  for (const chapter of CHAPTERS) {
    const known = recorded?.get(chapter);
    const [now, got] = await Promise.all([
      sample.includes(chapter) ? play(real, chapter) : undefined,
      play(embedded, chapter),
    ]);
    if (now && known) {
      const message = `kube-apiserver prints something else than was recorded: ${howToRecord([chapter])}`;
      assertEquals(differences(known, now), [], message);
    }
    found.push(...differences(now ?? known!, got));
    commands += got.length;
  }
  assertEquals(found, [], recorded && "KUBELOOP_PARITY=live asks kube-apiserver instead of what was recorded of it");
  assert(commands >= FEWEST_COMMANDS, `only ${commands} commands`);
}

clusterTest("kubectl's commands work on the embedded server as they do on kube-apiserver", async () => {
  if (PARITY === "record") return await record();
  if (PARITY === "live") return await compare();
  const recorded = await recordings();
  assertEquals(notIn(recorded).map(({ name }) => name), [], `not recorded: ${howToRecord(notIn(recorded))}`);
  await compare(recorded);
}, { records: true });
