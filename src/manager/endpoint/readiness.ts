import { type MetricsRegistry, parseMetrics } from "../../base/mod.ts";
import { PROGRESS_DEADLINE_MS } from "../../watch/mod.ts";
import type { Health } from "../health.ts";
import { textAnswer } from "./answers.ts";

/**
 * A healthy watch may be silent until it is closed: an API that sends no bookmarks, as aggregated ones may, sends
 * nothing while nothing changes. The extra minute is for reopening it, which counts as progress.
 */
const STALE_SECONDS = PROGRESS_DEADLINE_MS / 1000 + 60;

/** The answer of `/readyz`. */
export interface Readiness {
  readonly isReady: boolean;
  readonly text: string;
}

/**
 * The answer of `/readyz`, which upstream does not have: whether everything that should run here does, and is up to
 * date.
 *
 * Contract:
 * 1. It lists every health check and every watched resource; of a stale one for how long the API server has said
 *    nothing.
 * 2. It names objects that cannot be read, with the reason; they do not make it unready, since a tenant's object could
 *    then do that to all replicas.
 * 3. It is not ready while a check fails, or while some resource has been silent for longer than a healthy watch can
 *    be.
 *
 * @param metrics Where this process's watches report how stale they are.
 */
export function readiness(health: Health, metrics: MetricsRegistry): Readiness {
  const checks = health.readiness().map(({ name, reason }) => ({
    name,
    isGood: reason === undefined,
    why: "failed: reason withheld",
  }));
  const watches = watchesIn(metrics).map(({ resource, seconds }) => ({
    name: `watch ${resource}`,
    isGood: seconds <= STALE_SECONDS,
    why: `stale: nothing heard for ${Math.floor(seconds)} s`,
  }));
  const all = [...checks, ...watches];
  const isReady = all.every(({ isGood }) => isGood);
  const lines = all.map(({ name, isGood, why }) => isGood ? `[+]${name} ok` : `[-]${name} ${why}`);
  for (const note of health.notes()) lines.push(`[!]object set aside: ${note}`);
  return { isReady, text: [...lines, `readyz check ${isReady ? "passed" : "failed"}`, ""].join("\n") };
}

export function readinessPage({ isReady, text }: Readiness): Response {
  return textAnswer(text, { status: isReady ? 200 : 500, headers: { "x-content-type-options": "nosniff" } });
}

function watchesIn(metrics: MetricsRegistry): { readonly resource: string; readonly seconds: number }[] {
  const [staleness] = parseMetrics(metrics.render({ only: "kubeloop_reflector_staleness_seconds" }));
  return (staleness?.samples ?? []).map(({ labels: { group, resource }, value }) => ({
    resource: group ? `${resource}.${group}` : resource,
    seconds: value,
  }));
}
