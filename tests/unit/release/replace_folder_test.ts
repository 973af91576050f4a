import { assertEquals, assertRejects } from "@std/assert";
import { replaceFolder } from "../../../.ci/release/replace_folder.ts";

/** Runs `test` with a place for a folder, and gives the files that lie there at its end by their paths. */
async function filesAfter(test: (folder: string) => Promise<void>): Promise<Record<string, string>> {
  const root = await Deno.makeTempDir({ prefix: "kubeloop-folder-" });
  try {
    await test(`${root}/dist`);
    const files: Record<string, string> = {};
    for (const { name: folder } of Deno.readDirSync(root)) {
      for (const { name } of Deno.readDirSync(`${root}/${folder}`)) {
        files[`${folder}/${name}`] = await Deno.readTextFile(`${root}/${folder}/${name}`);
      }
    }
    return files;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const filling = (files: Record<string, string>) => async (folder: string) => {
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
};

Deno.test("replaceFolder makes the folder where there is none, and later has nothing of the old in it", async () => {
  const files = await filesAfter(async (folder) => {
    await replaceFolder(folder, filling({ a: "old", b: "old" }));
    await replaceFolder(folder, filling({ b: "new" }));
  });
  assertEquals(files, { "dist/b": "new" });
});

Deno.test("replaceFolder leaves the folder as it was, whole at every time, where making it fails", async () => {
  const files = await filesAfter(async (folder) => {
    await replaceFolder(folder, filling({ a: "old" }));
    const failing = replaceFolder(folder, async (beside) => {
      await filling({ a: "half" })(beside);
      assertEquals(await Deno.readTextFile(`${folder}/a`), "old");
      throw new Error("no compiler");
    });
    await assertRejects(() => failing, Error, "no compiler");
  });
  assertEquals(files, { "dist/a": "old" });
});

Deno.test("replaceFolder takes nothing over of what somebody who was killed left behind", async () => {
  const files = await filesAfter(async (folder) => {
    for (const path of [`${folder}.new`, `${folder}.old`]) {
      await Deno.mkdir(path);
      await filling({ x: "half" })(path);
    }
    await replaceFolder(folder, filling({ a: "new" }));
  });
  assertEquals(files, { "dist/a": "new" });
});
