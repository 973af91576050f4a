import { MemoryLogger, sleep, systemWorld } from "../../../src/base/mod.ts";
import type { Playground } from "./playground.ts";
import { type Chapter, disappointment, normalised, type Result, type Step } from "./step.ts";

const WAIT_MS = 60_000;
const clock = systemWorld(new MemoryLogger()).clock;

/** Runs a chapter's commands and checks each; what is not asked of the server gives no result. */
export async function play(playground: Playground, { namespace, steps }: Chapter): Promise<(Result | undefined)[]> {
  await playground.namespace(namespace);
  const saved = new Map<string, string>();
  const results: (Result | undefined)[] = [];
  for (const step of steps) {
    if (step.embeddedOnly && !playground.isEmbedded) {
      results.push(undefined);
      continue;
    }
    const filled = { ...step, run: step.run.replace(/\{(\w+)\}/g, (all, name) => saved.get(name) ?? all) };
    const result = await perform(playground, filled, namespace);
    const why = disappointment(step, result);
    if (why) throw new Error(`kubectl ${filled.run}: ${why}; it prints:\n${result.text}`);
    if (step.save) saved.set(step.save, result.text.trim());
    results.push(result);
  }
  return results;
}

async function perform(playground: Playground, step: Step, namespace: string): Promise<Result> {
  const endMs = clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const result = await playground.run(step, namespace);
    if (!step.waits || !disappointment(step, result) || clock.monotonicMs() > endMs) return result;
    await sleep(clock, 200);
  }
}

/** The commands whose output is not the same on both servers, though it should be. */
export function differences(
  { steps }: Chapter,
  wanted: readonly (Result | undefined)[],
  got: readonly (Result | undefined)[],
): { readonly command: string; readonly wanted: string; readonly got: string }[] {
  return steps.flatMap((step, i) => {
    const [first, second] = [wanted[i], got[i]].map((result) => normalised(result?.text ?? ""));
    return first === second || step.differs || step.embeddedOnly
      ? []
      : [{ command: step.run, wanted: first, got: second }];
  });
}
