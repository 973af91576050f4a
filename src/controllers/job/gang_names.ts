import { fnv1a32 } from "../../base/mod.ts";
import { type Job, safeEncode } from "../../api/mod.ts";

const encoder = new TextEncoder();
/** What a name on the API server may have at most. */
const LONGEST_NAME = 253;

/**
 * What a Job's Workload is called: the Job's name, cut short where it must be, and a hash of its uid, so that each Job of one
 * name has its own. Upstream: `pkg/controller/job/job_scheduling_manager.go` (computeWorkloadName).
 */
export function workloadName({ metadata }: Job): string {
  // The uid is hashed as Go prints a value together with its type.
  const hash = hashOf(`(types.UID)${metadata?.uid ?? ""}`);
  return `${(metadata?.name ?? "").slice(0, LONGEST_NAME - hash.length - 1)}-${hash}`;
}

/**
 * What the PodGroup of a Workload's template is called: both names and a hash of them. Where they are too long together, the
 * one that takes more than half of the room is cut short, or both are.
 * Upstream: `pkg/controller/job/job_scheduling_manager.go` (computePodGroupName).
 */
export function podGroupName(workload: string, template: string): string {
  const hash = hashOf(workload + template);
  const room = LONGEST_NAME - hash.length - 2;
  const half = Math.floor(room / 2);
  const forWorkload = Math.max(room - template.length, room - half);
  const forTemplate = Math.max(room - workload.length, half);
  return `${workload.slice(0, forWorkload)}-${template.slice(0, forTemplate)}-${hash}`;
}

function hashOf(text: string): string {
  return safeEncode(String(fnv1a32(encoder.encode(text))));
}
