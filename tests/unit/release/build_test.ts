import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { buildOf } from "../../../.ci/release/build.ts";
import { run } from "../../../.ci/release/programs.ts";

const IDENTITY = ["-c", "user.name=a", "-c", "user.email=a@example.com"];

/** A folder, with a repository of one commit in it unless told otherwise. */
async function checkout({ isRepository = true } = {}): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "kubeloop-build-" });
  if (isRepository) {
    await run("git", ["init", "--quiet"], { cwd: folder });
    await Deno.writeTextFile(`${folder}/file`, "");
    await run("git", ["add", "file"], { cwd: folder });
    await run("git", [...IDENTITY, "commit", "--quiet", "-m", "first"], {
      cwd: folder,
      env: { GIT_COMMITTER_DATE: "1767323045 +0100" },
    });
  }
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

Deno.test("buildOf takes the commit's date, not the clock's, and says when files differ from the commit", async () => {
  await using clean = await checkout();
  const { commit, date } = await buildOf(clean.folder, undefined);
  assertMatch(commit, /^[0-9a-f]{40}$/);
  assertEquals(date, "2026-01-02T03:04:05Z");
  await Deno.writeTextFile(`${clean.folder}/file`, "changed");
  assertEquals(await buildOf(clean.folder, undefined), { commit: `${commit}-dirty`, date });
});

Deno.test("buildOf takes SOURCE_DATE_EPOCH before the commit's date, and needs it where there is no commit", async () => {
  await using none = await checkout({ isRepository: false });
  assertEquals(await buildOf(none.folder, "0"), { commit: "", date: "1970-01-01T00:00:00Z" });
  await assertRejects(() => buildOf(none.folder, undefined), Error, "set SOURCE_DATE_EPOCH");
  await assertRejects(() => buildOf(none.folder, "yesterday"), Error, 'SOURCE_DATE_EPOCH is "yesterday"');
});
