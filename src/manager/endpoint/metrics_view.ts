import { parse } from "@std/yaml";
import { errorText, type MetricsView, type World } from "../../base/mod.ts";
import type { MetricsOptions } from "../metrics_options.ts";
import { fileText } from "./file_text.ts";

/**
 * Applies `--disabled-metrics`, `--allow-metric-labels` and the file of `--allow-metric-labels-manifest` to metrics. A
 * flag wins over the file.
 *
 * @throws {Error} If the file cannot be read, or is not a mapping of `metric,label` to values.
 * Upstream: `k8s.io/component-base/metrics/options.go`.
 */
export async function metricsView(world: World, options: MetricsOptions): Promise<MetricsView> {
  const { disabled, allowedLabels, manifest } = options;
  if (manifest === "") return { disabled, allowedLabels };
  try {
    return { disabled, allowedLabels: new Map([...labelsIn(await fileText(world, manifest)), ...allowedLabels]) };
  } catch (cause) {
    const what = `metrics.allowListMappingManifest: Invalid value: ${JSON.stringify(manifest)}`;
    throw new Error(`${what}: failed to read allow list manifest: ${errorText(cause).split("\n")[0]}`, {
      cause,
    });
  }
}

function labelsIn(text: string): [key: string, values: ReadonlySet<string>][] {
  const data: unknown = parse(text);
  if (typeof data !== "object" || data === null) throw new Error("it maps no metric,label to values");
  return Object.entries(data).map(([key, values]) => {
    if (typeof values !== "string") throw new Error(`the values of ${JSON.stringify(key)} are not text`);
    return [key, new Set(values.split(","))];
  });
}
