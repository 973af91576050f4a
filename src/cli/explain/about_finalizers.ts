import { parseTime } from "../../api/mod.ts";
import type { ObjectFacts } from "./facts.ts";
import { whoSetFinalizer } from "./field_manager.ts";
import { type Remover, removerOf } from "./finalizer_table.ts";
import type { Advice, Finding } from "./finding.ts";
import { agoText, kubectlName, shellWord, type Wording } from "./wording.ts";

/** How long a controller may take before it is worth investigating. */
const SOON_MS = 60_000;

/**
 * What a finalizer waits for.
 *
 * @param causes What is known to block it; if empty, its controller should remove it at once.
 */
export function finalizerFinding(
  finalizer: string,
  { facts, causes, wording }: {
    readonly facts: ObjectFacts;
    /** `undefined` if the facts do not show it. */
    readonly causes?: readonly Finding[];
    readonly wording: Wording;
  },
): Finding {
  const remover = removerOf(finalizer);
  const setBy = writtenBy(facts, finalizer, wording);
  if (!remover) return unknownFinalizer(finalizer, { facts, setBy });
  const where = remover.program === "add-on" || remover.program === "kube-apiserver" ? "" : ` (${remover.program})`;
  const held = causes?.some(({ level }) => level !== "info");
  return {
    code: "Finalizer",
    level: "blocks",
    message: `finalizer ${finalizer}: ${remover.controller}${where} removes it when ${remover.condition}${setBy}`,
    waitsFor: remover.program,
    causes,
    advice: held ? undefined : whoseTurn(finalizer, remover, { facts, wording, isDue: causes !== undefined }),
  };
}

function unknownFinalizer(
  finalizer: string,
  { facts, setBy }: { readonly facts: ObjectFacts; readonly setBy: string },
): Finding {
  return {
    code: "UnknownFinalizer",
    level: "blocks",
    message: `finalizer ${finalizer}: no built-in controller removes it, whoever uses it must${setBy}`,
    advice: {
      key: `finalizer ${finalizer}`,
      text: `get the program that uses the finalizer ${finalizer} to run and to finish; only if it is gone for good, ` +
        "remove the finalizer by hand, which skips whatever it was there to clean up",
      command: removalCommand(facts, finalizer),
    },
  };
}

function writtenBy({ object }: ObjectFacts, finalizer: string, wording: Wording): string {
  const writer = whoSetFinalizer(object.metadata ?? {}, finalizer);
  if (!writer) return "";
  const when = writer.time ? `, last ${agoText(writer.time, wording)}` : "";
  return `; written by ${writer.manager || "an unnamed client"}${when}`;
}

/** What to do if nothing is known to block it. */
function whoseTurn(
  finalizer: string,
  { controller, program }: Remover,
  { facts, wording, isDue }: { readonly facts: ObjectFacts; readonly wording: Wording; readonly isDue: boolean },
): Advice | undefined {
  const { deletionTimestamp } = facts.object.metadata ?? {};
  if (!deletionTimestamp) return undefined;
  if (isDue && wording.nowMs - parseTime(deletionTimestamp) < SOON_MS) return undefined;
  if (program === "add-on") {
    return {
      key: `add-on ${controller}`,
      text: `look whether ${controller} runs, and what its log says about ${finalizer}`,
      command: `kubectl describe ${kubectlName(facts.resource, facts.object)}`,
    };
  }
  if (program === "kube-apiserver") return undefined; // it is removed when the instances are gone
  return {
    key: `${program} ${controller}`,
    text: `look whether the ${program} runs with ${controller}, and what its log says`,
  };
}

/** A command that removes it and fails if the list has changed meanwhile. */
function removalCommand({ resource, object }: ObjectFacts, finalizer: string): string {
  const path = `/metadata/finalizers/${object.metadata?.finalizers?.indexOf(finalizer) ?? 0}`;
  const patch = JSON.stringify([{ op: "test", path, value: finalizer }, { op: "remove", path }]);
  return `kubectl patch ${kubectlName(resource, object)} --type=json -p ${shellWord(patch)}`;
}
