import { assert, assertEquals } from "@std/assert";
import { MetricsRegistry, parseMetrics } from "../../../../src/base/mod.ts";
import { SyncJournal } from "../../../../src/manager/journal/mod.ts";
import { MAX_CAUSES, MAX_READS, MAX_WRITES } from "../../../../src/workqueue/mod.ts";
import { entry, write } from "./fixtures.ts";

function setUp(limits = { changing: 3, idle: 2, bytes: 1 << 20 }) {
  const metrics = new MetricsRegistry();
  const journal = new SyncJournal({ metrics, limits });
  const keys = () => [...journal.syncs()].map(({ key }) => key);
  const count = (name: string, what?: string) =>
    parseMetrics(metrics.render()).find((family) => family.name === name)!.samples
      .find(({ labels }) => what === undefined || labels.what === what)!.value;
  return { journal, keys, count };
}

const changing = (key: string) => entry({ key, writes: [write(`update Pod ${key} 1`)] });

Deno.test("SyncJournal: syncs never exceed the limits; the oldest make room, and are counted", () => {
  const { journal, keys, count } = setUp();
  for (let i = 1; i <= 5; i++) journal.record(changing(`a/${i}`));
  assertEquals(keys(), ["a/3", "a/4", "a/5"]);
  assertEquals([journal.length, journal.forgotten], [3, 2]);
  assertEquals(count("kubeloop_journal_forgotten_syncs_total"), 2);
});

Deno.test("SyncJournal: syncs that found nothing to do displace none that did something, unless bytes run out", () => {
  const { journal, keys } = setUp();
  journal.record(changing("a/changed"));
  journal.record(entry({ key: "a/failed", outcome: "retry", error: new Error("no") }));
  for (let i = 1; i <= 100; i++) journal.record(entry({ key: `a/idle${i}` }));
  assertEquals(keys(), ["a/changed", "a/failed", "a/idle99", "a/idle100"]);
});

Deno.test("SyncJournal: bytes are bounded too; idle syncs go first", () => {
  const { journal, keys } = setUp({ changing: 1000, idle: 1000, bytes: 100_000 });
  const writes = Array.from({ length: 100 }, (_, i) => write(`create Pod a/pod-${i} ${i}`));
  for (let i = 1; i <= 50; i++) {
    journal.record(entry({ key: `a/${i}`, writes }));
    journal.record(entry({ key: `a/idle${i}` }));
    assert(journal.bytes <= 100_000);
  }
  assert(journal.length >= 5 && journal.length < 20, `${journal.length} kept`);
  assertEquals(keys().filter((key) => !key.startsWith("a/idle")).at(-1), "a/50");
});

Deno.test("SyncJournal: entries are plain data and keep nothing else alive: errors are texts, bounded", () => {
  const { journal } = setUp();
  journal.record(entry({ outcome: "retry", error: new Error("x".repeat(10_000), { cause: { big: true } }) }));
  const [kept] = journal.syncs();
  assertEquals(kept.error, "x".repeat(500));
  structuredClone(kept);
});

Deno.test("SyncJournal counts the notes of syncs that were too many", () => {
  const { journal, count } = setUp();
  const texts = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);
  const writes = Array.from({ length: MAX_WRITES + 4 }, (_, i) => write(`create Pod a/pod-${i} ${i}`));
  journal.record(entry({ causes: texts(MAX_CAUSES + 2), reads: texts(MAX_READS + 3), writes }));
  journal.record(entry({ causes: texts(MAX_CAUSES + 1) }));
  const lost = (what: string) => count("kubeloop_journal_lost_notes_total", what);
  assertEquals([lost("cause"), lost("read"), lost("write")], [3, 3, 4]);
});
