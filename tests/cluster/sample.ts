/** What is asked of upstream's programs in each run although it is recorded: something else for each commit. */

/** One of so many. */
const SAMPLED_OF = 12;

/** An area has a sample in one of so many commits, a larger one then: to start upstream's manager costs more than most scenarios. */
const AREAS_SAMPLED_OF = 3;

/** The commit that is checked out; empty where that is not known. */
async function commitNow(): Promise<string> {
  const { stdout } = await new Deno.Command("git", { args: ["rev-parse", "HEAD"], stderr: "null" }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** Numbers below 2³² that names get by chance, the same ones for the same commit. */
async function ranker(): Promise<(name: string) => Promise<number>> {
  const commit = await commitNow().catch(() => "");
  return async (name) => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(commit + name));
    return new DataView(digest).getUint32(0);
  };
}

/** One in `of` of `items`, at least one: the same for the same commit. */
export async function sampleOf<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  of = SAMPLED_OF,
): Promise<readonly T[]> {
  const rankOf = await ranker();
  const ranks = await Promise.all(items.map(async (item) => ({ item, rank: await rankOf(nameOf(item)) })));
  return ranks.sort((a, b) => a.rank - b.rank).slice(0, Math.ceil(items.length / of)).map(({ item }) => item);
}

/** A sample of an area; none in most commits. */
export async function sampleOfArea<T>(
  area: string,
  items: readonly T[],
  nameOf: (item: T) => string,
): Promise<readonly T[]> {
  const rankOf = await ranker();
  const hasSample = await rankOf(area) % AREAS_SAMPLED_OF === 0;
  return hasSample ? await sampleOf(items, nameOf, SAMPLED_OF / AREAS_SAMPLED_OF) : [];
}
