import type { PersistentVolumeClaim } from "../../api/mod.ts";
import { OLD_CLASS_ANNOTATION } from "../../rules/mod.ts";

/** Whether a claim states a class; an empty name asks for volumes without one. */
export function statesStorageClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata?.annotations?.[OLD_CLASS_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;
}
