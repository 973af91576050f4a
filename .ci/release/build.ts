import { run } from "./programs.ts";

/** What is built, and when it was written; `kubeloop version` says so. */
export interface Build {
  /** The commit's full name, with `-dirty` where files differ from it; empty outside a git repository. */
  readonly commit: string;
  /** Of the commit, never of the clock, so that two builds of it are the same. */
  readonly date: string;
}

/**
 * Describes the checkout at `repository`.
 *
 * @param sourceDateEpoch Seconds since 1970, which go before the date of the commit.
 * @throws {Error} If neither is there, or `SOURCE_DATE_EPOCH` is no number of seconds.
 */
export async function buildOf(
  repository: string,
  sourceDateEpoch = Deno.env.get("SOURCE_DATE_EPOCH"),
): Promise<Build> {
  const git = (...args: string[]) => run("git", args, { cwd: repository }).then((text) => text.trim(), () => undefined);
  const head = await git("rev-parse", "HEAD");
  const isDirty = head !== undefined && await git("status", "--porcelain") !== "";
  const epoch = sourceDateEpoch ?? await git("log", "-1", "--format=%ct");
  if (epoch === undefined) {
    throw new Error(
      `${repository} is not a git checkout: set SOURCE_DATE_EPOCH to the seconds since 1970 of its release`,
    );
  }
  if (!/^\d{1,11}$/.test(epoch)) {
    throw new Error(`SOURCE_DATE_EPOCH is ${JSON.stringify(epoch)}: it must be a number of seconds since 1970`);
  }
  return {
    commit: head === undefined ? "" : `${head}${isDirty ? "-dirty" : ""}`,
    date: `${new Date(Number(epoch) * 1000).toISOString().slice(0, 19)}Z`,
  };
}
