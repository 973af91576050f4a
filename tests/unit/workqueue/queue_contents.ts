import type { WorkQueue } from "../../../src/workqueue/mod.ts";

/** The keys in a queue now, which are taken out of it as a worker does, each with why it is there. */
export async function takeAll(
  queue: WorkQueue,
): Promise<{ readonly key: string; readonly causes: readonly string[] }[]> {
  const items: { key: string; causes: readonly string[] }[] = [];
  while (queue.length > 0) {
    const { key, causes } = (await queue.get())!;
    queue.done(key);
    items.push({ key, causes: causes.texts });
  }
  return items;
}

/** As {@link takeAll}, the keys alone. */
export async function takeKeys(queue: WorkQueue): Promise<string[]> {
  return (await takeAll(queue)).map(({ key }) => key);
}

/** As {@link takeAll}, a line each: `a/d: pod/a/p added, pod/a/q added`. */
export async function takeLines(queue: WorkQueue): Promise<string[]> {
  return (await takeAll(queue)).map(({ key, causes }) => `${key}: ${causes.join(", ")}`);
}
