import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { FeatureGates } from "../feature_gates.ts";

/** The process's resource usage. */
export interface ProcessUsage {
  cpuSeconds(): number;
  residentBytes(): number;
}

/** This process's usage. */
export async function processUsage(): Promise<ProcessUsage> {
  const { default: process } = await import("node:process");
  return {
    cpuSeconds: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    residentBytes: () => Deno.memoryUsage().rss,
  };
}

/**
 * Registers the metrics that every Kubernetes component has: version, feature gates, CPU time and memory.
 *
 * @returns When the process started, in seconds since 1970.
 */
export function registerProcessMetrics(
  { clock }: Pick<World, "clock">,
  { metrics, gates, usage, version }: {
    readonly metrics: MetricsRegistry;
    readonly gates: FeatureGates;
    readonly version: string;
    readonly usage: ProcessUsage;
  },
): number {
  const startSeconds = clock.wallMs() / 1000;
  registerVersion(metrics, gates, version);
  const features = metrics.gauge({
    name: "kubernetes_feature_enabled",
    help: "This metric records the data about the stage and enablement of a k8s feature.",
    labels: ["name", "stage"],
    stability: "BETA",
  });
  for (const { name, stage, enabled } of gates.all) {
    if (stage !== "PreAlpha") features.set(enabled ? 1 : 0, [name, stage === "GA" ? "" : stage]);
  }
  metrics.gauge({
    name: "process_start_time_seconds",
    help: "Start time of the process since unix epoch in seconds.",
    stability: "none",
  }).set(startSeconds);
  metrics.counter({
    name: "process_cpu_seconds_total",
    help: "Total user and system CPU time spent in seconds.",
    stability: "none",
  }).track(usage.cpuSeconds);
  metrics.gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory size in bytes.",
    stability: "none",
  }).track(usage.residentBytes);
  return startSeconds;
}

function registerVersion(metrics: MetricsRegistry, gates: FeatureGates, version: string): void {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version)!;
  const labels = {
    build_date: "1970-01-01T00:00:00Z",
    compiler: "v8",
    git_commit: "",
    git_tree_state: "",
    git_version: version,
    go_version: "",
    major,
    minor,
    platform: PLATFORM,
  };
  metrics.gauge({
    name: "kubernetes_build_info",
    help: "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, " +
      "build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    labels: Object.keys(labels),
    stability: "BETA",
  }).set(1, Object.values(labels));
  const compatibility = {
    binary: version.slice(1),
    component: "kube",
    emulation: gates.emulatedVersion,
    min_compat: gates.minCompatibilityVersion,
  };
  metrics.gauge({
    name: "version_info",
    help:
      "Provides the compatibility version info of the component. The component label is the name of the component, " +
      "usually kube, but is relevant for aggregated-apiservers.",
    labels: Object.keys(compatibility),
  }).set(1, Object.values(compatibility));
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

/** Such as `linux/amd64`, in Go's terms. */
export const PLATFORM = `${Deno.build.os}/${ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch}`;
