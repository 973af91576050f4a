/**
 * The program that judges the emulator of the Hetzner Cloud API with the vendor's client library: built once from `hcloudjudge/`, which is
 * a module of its own, into the folder of the upstream programs.
 */
import { encodeHex } from "@std/encoding/hex";
import { dirname, fromFileUrl } from "@std/path";
import { assetsFolder } from "./binaries.ts";

const FOLDER = fromFileUrl(new URL("./hcloudjudge", import.meta.url));
const SOURCES = ["main.go", "go.mod"];

/**
 * Builds the program unless it is there, which takes seconds.
 *
 * @returns Where it is.
 * @throws {Error} If Go is not installed or the build fails; the message holds the compiler's last lines.
 */
export async function hcloudJudge(): Promise<string> {
  const texts = await Promise.all(SOURCES.map((name) => Deno.readTextFile(`${FOLDER}/${name}`)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("\0")));
  const path = `${await assetsFolder()}/hcloudjudge-${encodeHex(digest).slice(0, 12)}/hcloudjudge`;
  if ((await Deno.stat(path).catch(() => undefined))?.isFile) return path;
  await Deno.mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.unfinished.${Deno.pid}`;
  const { success, stderr } = await new Deno.Command("go", {
    args: ["build", "-trimpath", "-ldflags", "-s -w", "-o", unfinished, "."],
    cwd: FOLDER,
    env: { CGO_ENABLED: "0" },
  }).output();
  if (!success) throw new Error(`go build failed: ${new TextDecoder().decode(stderr).slice(-2000)}`);
  await Deno.rename(unfinished, path);
  return path;
}
