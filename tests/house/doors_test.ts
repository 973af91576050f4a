/** What the library offers through the doors in `deno.json`: whole types, and nothing that slows its users' type checks. */
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const { exports: doors, imports } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)) as {
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
};

async function deno(...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  return { code, said: text.decode(stdout) + text.decode(stderr) };
}

Deno.test("every exported signature names only exported types, and says what it returns", async () => {
  const { said } = await deno("doc", "--lint", ...Object.values(doors));
  const kinds = /^error\[(?:private-type-ref|missing-return-type|missing-explicit-type)\].*\n.*/gm;
  assertEquals(said.match(kinds) ?? [], []);
});

Deno.test("the library could be published, without slow types", async () => {
  const { code, said } = await deno("publish", "--dry-run", "--allow-dirty", "--no-check");
  assertEquals(code, 0, said);
});

Deno.test("the repository's own examples import through the doors that users have", () => {
  const own = Object.fromEntries(
    Object.entries(doors).map(([door, file]) => [door === "." ? "kubeloop" : `kubeloop/${door.slice(2)}`, file]),
  );
  assertEquals(Object.fromEntries(Object.entries(imports).filter(([name]) => name.startsWith("kubeloop"))), own);
});
