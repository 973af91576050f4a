/** What is asked of upstream's programs in each run although it is recorded. */

/** One of so many. */
const SAMPLED_OF = 12;

/** The commit that is checked out; empty where that is not known. */
async function commitNow(): Promise<string> {
  const { stdout } = await new Deno.Command("git", { args: ["rev-parse", "HEAD"], stderr: "null" }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** One in {@link SAMPLED_OF} of `items`, at least one: the same for the same commit. */
export async function sampleOf<T>(items: readonly T[], nameOf: (item: T) => string): Promise<readonly T[]> {
  const commit = await commitNow().catch(() => "");
  const ranks = await Promise.all(items.map(async (item) => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(commit + nameOf(item)));
    return { item, rank: new DataView(digest).getUint32(0) };
  }));
  return ranks.sort((a, b) => a.rank - b.rank).slice(0, Math.ceil(items.length / SAMPLED_OF)).map(({ item }) => item);
}
