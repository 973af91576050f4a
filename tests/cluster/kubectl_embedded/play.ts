import { MemoryLogger, sleep, systemWorld } from "../../../src/base/mod.ts";
import type { Playground } from "./playground.ts";
import { type Chapter, disappointment, isCompared, normalised, type Printed, type Result, type Step } from "./step.ts";

const WAIT_MS = 60_000;
const clock = systemWorld(new MemoryLogger()).clock;

/** Runs a chapter's commands and checks each; gives what is to be compared. */
export async function play(playground: Playground, { namespace, steps }: Chapter): Promise<Printed[]> {
  await playground.namespace(namespace);
  const saved = new Map<string, string>();
  const printed: Printed[] = [];
  for (const step of steps) {
    if (step.embeddedOnly && !playground.isEmbedded) continue;
    const filled = { ...step, run: step.run.replace(/\{(\w+)\}/g, (all, name) => saved.get(name) ?? all) };
    const result = await perform(playground, filled, namespace);
    const why = disappointment(step, result);
    if (why) throw new Error(`kubectl ${filled.run}: ${why}; it prints:\n${result.text}`);
    if (step.save) saved.set(step.save, result.text.trim());
    if (isCompared(step)) printed.push({ run: step.run, exits: result.code, text: normalised(result.text) });
  }
  return printed;
}

async function perform(playground: Playground, step: Step, namespace: string): Promise<Result> {
  const endMs = clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const result = await playground.run(step, namespace);
    if (!step.waits || !disappointment(step, result) || clock.monotonicMs() > endMs) return result;
    await sleep(clock, 200);
  }
}

/** The commands whose output is not the same, though it should be. */
export function differences(
  wanted: readonly Printed[],
  got: readonly Printed[],
): { readonly command: string; readonly wanted: string; readonly got: string }[] {
  return got.flatMap(({ run, exits, text }, i) => {
    const isSame = wanted[i].exits === exits && wanted[i].text === text;
    return isSame ? [] : [{ command: run, wanted: wanted[i].text, got: text }];
  });
}
