/**
 * The cloud-controller-manager of upstream's framework that ours is compared with: built once from `cloudjudge/`, into the folder of the
 * upstream programs. What else is tested does not wait for it.
 */
import { encodeHex } from "@std/encoding/hex";
import { dirname, fromFileUrl } from "@std/path";
import { assetsFolder } from "./binaries.ts";

const HERE = dirname(fromFileUrl(import.meta.url));
const SOURCES = ["cloudjudge/main.go", "cloudjudge/carrier.go", "cloudjudge/provider.go", "go.mod"];
/** Objects are owned by who has this name. */
const NAME = "cloud-controller-manager";

/** Where the program is, or would be built; another place for other sources. */
async function judgePath(): Promise<string> {
  const texts = await Promise.all(SOURCES.map((name) => Deno.readTextFile(`${HERE}/${name}`)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("\0")));
  return `${await assetsFolder()}/cloudjudge-${encodeHex(digest).slice(0, 12)}/${NAME}`;
}

/**
 * Builds the program unless it is there: seconds after kube-controller-manager was built, since it is made of the same parts.
 *
 * @returns Where it is.
 * @throws {Error} If Go is not installed or the build fails; the message holds the compiler's last lines.
 */
export async function cloudJudge(say: (line: string) => void = () => {}): Promise<string> {
  const path = await judgePath();
  if ((await Deno.stat(path).catch(() => undefined))?.isFile) return path;
  say("building the cloud-controller-manager of upstream's framework");
  await Deno.mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.unfinished.${Deno.pid}`;
  const { success, stderr } = await new Deno.Command("go", {
    args: ["build", "-trimpath", "-ldflags", "-s -w", "-o", unfinished, "./cloudjudge"],
    cwd: HERE,
    env: { CGO_ENABLED: "0", GOFLAGS: "-mod=mod" },
  }).output();
  if (!success) throw new Error(`go build failed: ${new TextDecoder().decode(stderr).slice(-2000)}`);
  await Deno.rename(unfinished, path);
  return path;
}

// deno-lint-ignore no-console -- it is there to print
if (import.meta.main) console.log(await cloudJudge(console.error));
