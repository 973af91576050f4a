/** `tests/unit` mirrors `src`. */
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Folders of `tests/unit` that test something outside of `src`. */
const ELSEWHERE = [
  "generate", // .ci/generate
  "manifests", // the folder of the same name
  "release", // .ci/release
];

/** The paths of all folders, and of all files with this ending, without the ending. */
async function* pathsIn(folder: string, ending: string, path = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(`${ROOT}${folder}/${path}`)) {
    if (isDirectory) {
      yield `${path}${name}/`;
      yield* pathsIn(folder, ending, `${path}${name}/`);
    } else if (name.endsWith(ending)) yield `${path}${name.slice(0, -ending.length)}`;
  }
}

/** What `src` holds below the place of the test, where the test should lie. */
function betterPlaces(test: string, sources: ReadonlySet<string>): string[] {
  const [, folder, name] = /^(.*\/)?([^/]+)$/.exec(test)!;
  if (!sources.has(folder)) return [`a folder that src has: ${folder}`];
  const isNamedForFolder = folder.endsWith(`/${name}/`) || folder === `${name}/`;
  if (isNamedForFolder || sources.has(test) || sources.has(`${test}/`)) return [];
  return [...sources].filter((path) => path.startsWith(folder) && path.replace(/\/$/, "").endsWith(`/${name}`));
}

Deno.test("a test of tests/unit lies where src has the file or the folder that the test is named for", async () => {
  const sources = new Set(await Array.fromAsync(pathsIn("src", ".ts")));
  const misplaced: string[] = [];
  for await (const path of pathsIn("tests/unit", "_test.ts")) {
    if (path.endsWith("/") || ELSEWHERE.includes(path.slice(0, path.indexOf("/")))) continue;
    const places = betterPlaces(path, sources);
    if (places.length > 0) misplaced.push(`tests/unit/${path}_test.ts should lie beside ${places.join(" or ")}`);
  }
  assertEquals(misplaced, []);
});

Deno.test("betterPlaces finds a file or folder of the test's name further down, and misses folders", () => {
  const sources = new Set(["client/", "client/http/", "client/http/pool", "client/verbs", "client/http/parts/"]);
  assertEquals(betterPlaces("client/pool", sources), ["client/http/pool"]);
  assertEquals(betterPlaces("client/parts", sources), ["client/http/parts/"]);
  assertEquals(betterPlaces("api/names", sources), ["a folder that src has: api/"]);
  for (const right of ["client/http/pool", "client/verbs", "client/client", "client/http", "client/retries"]) {
    assertEquals(betterPlaces(right, sources), []);
  }
});
