/** Managers that are killed at each of their writes, in turn: the next one ends where the first would have. */
import { assertEquals } from "@std/assert";
import type { CrashMoment, TestClusterOptions } from "kubeloop/testing";
import type { CrashScenario } from "../scenarios/crash_scenarios.ts";
import { type Play, type Run, run } from "./crashed_run.ts";

/** Events wait to be written for less than this. */
const UNTOLD_MS = 1_000;

/**
 * Tests each scenario with a kill before and after every write of its managers.
 *
 * @param options What the clusters are like, and flags besides the usual ones.
 */
export function testCrashes(scenarios: readonly CrashScenario[], options: TestClusterOptions = {}): void {
  for (const scenario of scenarios) {
    const name = `scenario ${scenario.name} ends the same whichever write its manager is killed at`;
    Deno.test(name, () => assertSameEnds({ scenario, options }));
  }
}

async function assertSameEnds(play: Play): Promise<void> {
  const expected = await run(play);
  let previousMs = -1;
  for (let atWrite = 1; atWrite <= expected.writes; atWrite++) {
    const diedMs = await assertSameEnd(play, expected, { moment: "after", atWrite });
    // To die before a write that is made at the same instant as another is to die after that one.
    if (diedMs > previousMs) await assertSameEnd(play, expected, { moment: "before", atWrite });
    previousMs = diedMs;
  }
}

/** @returns When it died. */
async function assertSameEnd(
  play: Play,
  expected: Run,
  { moment, atWrite }: { readonly moment: CrashMoment; readonly atWrite: number },
): Promise<number> {
  const when = `killed ${moment} write ${atWrite} of ${expected.writes}`;
  const actual = await run(play, { moment, atWrite });
  const { diedMs } = actual;
  if (diedMs === undefined) throw new Error(`${when}: it lives`);
  assertEquals(actual.objects, expected.objects, when);
  assertEquals(actual.created, expected.created, `${when}: nothing is created that was not needed`);
  assertEquals(
    lost(play.scenario, expected, actual),
    [],
    `${when}: no event is lost but those that waited to be written`,
  );
  assertEquals(added(play.scenario, expected, actual), [], `${when}: no event is told that did not happen`);
  return diedMs;
}

/** Events that were told more often without the crash, and not about the time of it. */
function lost({ mayMiss = new Map() }: CrashScenario, expected: Run, { events, diedMs = 0 }: Run): string[] {
  const isWaiting = (atMs: number) => Math.abs(atMs - diedMs) < UNTOLD_MS;
  return [...expected.events]
    .filter(([text, times]) => (events.get(text)?.length ?? 0) + times.filter(isWaiting).length < times.length)
    .map(([text]) => text).filter((text) => ![...mayMiss.keys()].some((pattern) => pattern.test(text)));
}

/** Events that were told more often with the crash. */
function added({ mayTell = new Map() }: CrashScenario, expected: Run, { events }: Run): string[] {
  return [...events]
    .filter(([text, times]) => times.length > (expected.events.get(text)?.length ?? 0))
    .map(([text]) => text).filter((text) => ![...mayTell.keys()].some((pattern) => pattern.test(text)));
}
