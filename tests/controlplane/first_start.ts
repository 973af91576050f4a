/** What kube-apiserver writes when it starts for the first time: some two hundred objects, which cost half of a start. */
import { assetsFolder, cacheFolder } from "./binaries.ts";
import { runProgram } from "./run_program.ts";

/** Flags that decide what is written. */
const DECIDING = /^--(service-cluster-ip-range|encryption-|etcd-|storage-media-type)/;

/** Whether a kube-apiserver with these flags may begin with what another one without them has written. */
export function mayShareFirstStart(flags: readonly string[]): boolean {
  return !flags.some((flag) => DECIDING.test(flag));
}

/**
 * A folder with the data of a control plane that has started once; made by the first who asks for it, and kept.
 *
 * @param settings All that decides what is saved, in any order.
 * @param save Starts one and saves its data to a folder that is not there yet.
 */
export async function dataOfFirstStart(
  settings: readonly string[],
  save: (folder: string) => Promise<void>,
): Promise<string> {
  const parent = `${cacheFolder()}/first-start`;
  const folder = `${parent}/${await digestOf(settings)}`;
  if (await isThere(folder)) return folder;
  await Deno.mkdir(parent, { recursive: true });
  const unfinished = await Deno.makeTempDir({ dir: parent, prefix: ".unfinished-" });
  try {
    await save(`${unfinished}/data`);
    await Deno.rename(`${unfinished}/data`, folder);
  } catch (error) {
    // Another test has made it meanwhile.
    if (!await isThere(folder)) throw error;
  } finally {
    await Deno.remove(unfinished, { recursive: true });
  }
  return folder;
}

/** Copies a folder of etcd's. */
export async function copyData(from: string, to: string): Promise<void> {
  const { code, stderr } = await runProgram("cp", { args: ["-r", from, to] });
  if (code !== 0) throw new Error(`${from} was not copied: ${stderr}`);
}

/** Other programs write other objects, even of one version. */
async function digestOf(settings: readonly string[]): Promise<string> {
  const programs = await Promise.all(["etcd", "kube-apiserver"].map(async (name) => {
    const { size, mtime } = await Deno.stat(`${await assetsFolder()}/${name}`);
    return [name, size, mtime?.getTime()];
  }));
  const text = JSON.stringify([programs, settings.toSorted()]);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(hash).toHex().slice(0, 16);
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
