import type { BinderContext } from "./context.ts";

/** Runs a plug-in's operation and records its duration and result. */
export async function timed<T>(
  { plugin, operation }: { readonly plugin: string; readonly operation: "volume_provision" | "volume_delete" },
  { metrics, world: { clock } }: Pick<BinderContext, "metrics" | "world">,
  work: () => Promise<T>,
): Promise<T> {
  const begunMs = clock.monotonicMs();
  const note = (status: string) =>
    metrics.storageSeconds.observe((clock.monotonicMs() - begunMs) / 1000, [plugin, operation, status, "false"]);
  let result;
  try {
    result = await work();
  } catch (error) {
    note("fail-unknown");
    throw error;
  }
  note("success");
  return result;
}
