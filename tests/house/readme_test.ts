/** The documentation's examples as a reader copies them: into an empty folder beside the checkout, with nothing added. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { MemoryLogger, systemWorld, unlessAborted } from "../../src/base/mod.ts";
import { applyManifests, Client, loadClientConfig, transportOf } from "../../src/client/mod.ts";
import { DEV_FLAGS } from "../../src/cli/dev/flags.ts";
import { Flags, managerFlags, managerOptions } from "../../src/manager/mod.ts";
import { eventually } from "../controlplane/process.ts";
import { kubeloop, KubeloopProcess } from "../sandbox/kubeloop_process.ts";
import { WEBSITES } from "../sandbox/website_controller.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const README = await Deno.readTextFile(`${ROOT}README.md`);
/** Both pages are about the same folder of files. */
const PAGES = [README, await Deno.readTextFile(`${ROOT}src/testkit/README.md`)];

interface Block {
  readonly language: string;
  readonly text: string;
  /** In its first line. */
  readonly file?: string;
}

const BLOCKS: readonly Block[] = PAGES.flatMap((page) => [...page.matchAll(/^```(\w*)[^\n]*\n(.*?)^```$/gms)]).map((
  [, language, text],
) => ({ language, text, file: /^(?:\/\/|#) (\S+\.(?:ts|json))\n/.exec(text)?.[1] }));

/** What is in a shell's blocks, a command each: lines that go on are joined, comments are gone. */
const COMMANDS: readonly string[] = BLOCKS.filter(({ language }) => language === "sh").flatMap(({ text }) =>
  text.replaceAll("\\\n", "").split("\n").map((line) => line.replace(/\s+#.*$/, "").replaceAll(/\s+/g, " ").trim())
).filter((line) => line !== "");

/** Runs Deno to its end, without a cluster of the user's. */
async function deno(cwd: string, ...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  const env = { NO_COLOR: "1", KUBECONFIG: "" };
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd, env }).output();
  const text = new TextDecoder();
  return { code, said: text.decode(stdout) + text.decode(stderr) };
}

/** A folder beside the checkout with the README's files in it. */
class ReadersFolder implements AsyncDisposable {
  readonly path: string;
  readonly #parent: string;
  /** For commands of Deno. */
  #config: readonly string[] = [];

  private constructor(parent: string) {
    this.#parent = parent;
    this.path = `${parent}/mine`;
  }

  static async make(): Promise<ReadersFolder> {
    const folder = new ReadersFolder(await Deno.makeTempDir());
    await Deno.mkdir(folder.path);
    await Deno.symlink(ROOT, `${folder.#parent}/kubeloop`);
    for (const { file, text } of BLOCKS) if (file) await Deno.writeTextFile(`${folder.path}/${file}`, text);
    return folder;
  }

  /**
   * Checks the types of all files. Without a lock file Deno asks the registry for more than a cache holds that was filled by one: where
   * that is not reached, the checkout's configuration is used from then on.
   */
  async check(): Promise<{ readonly code: number; readonly said: string }> {
    const command = `deno check ${BLOCKS.flatMap(({ file }) => file?.endsWith(".ts") ? [file] : []).join(" ")}`;
    const checked = await this.run(command);
    if (!checked.said.includes("error sending request")) return checked;
    this.#config = [`--config=${ROOT}deno.json`];
    return await this.run(command);
  }

  /** Runs a command of Deno as it stands in the README. */
  run(command: string): Promise<{ readonly code: number; readonly said: string }> {
    return deno(this.path, ...this.args(command));
  }

  args(command: string): string[] {
    const [program, subcommand, ...rest] = command.split(" ");
    assertEquals(program, "deno", command);
    // With another folder's configuration Deno would look for tests there.
    const files = subcommand === "test" && this.#config.length > 0 ? ["website_test.ts"] : [];
    return [subcommand, ...this.#config, ...rest, ...files];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#parent, { recursive: true });
  }
}

Deno.test("the README names each file that its examples import or read, and shows what is in it", () => {
  const shown = BLOCKS.flatMap(({ file }) => file ?? []).sort();
  assertEquals(shown, [
    "deno.json",
    "deno.json",
    "watch_pods.ts",
    "website_controller.ts",
    "website_test.ts",
  ]);
  for (const { language, file } of BLOCKS) assert(language !== "ts" || file, "each example says which file it is");
});

Deno.test("the deno.json of the page about tests, which the others run with, adds to that of the README", () => {
  const [short, long] = BLOCKS.filter(({ file }) => file === "deno.json").map(({ text }): Record<string, string> =>
    JSON.parse(text.slice(text.indexOf("\n"))).imports
  );
  assertEquals({ ...long, ...short }, long);
});

Deno.test("the README shows the controller that the tests use", async () => {
  assertStringIncludes(README, await Deno.readTextFile(`${ROOT}tests/sandbox/website_controller.ts`));
});

Deno.test("the README's files type-check in a reader's folder, its test passes, and its controller works", async (t) => {
  await using folder = await ReadersFolder.make();
  await t.step("types", async () => {
    const { code, said } = await folder.check();
    assertEquals(code, 0, said);
  });
  await t.step("the test", async () => {
    assertEquals(COMMANDS.filter((command) => command.startsWith("deno test")), ["deno test --allow-read"]);
    // Its types have just been checked, which takes longer than all else.
    const { code, said } = await folder.run("deno test --allow-read --no-check");
    assertEquals(code, 0, said);
    assertMatch(said, /1 passed \| 0 failed/);
  });
  await t.step("the controller on a cluster, with the permissions that the README gives it", () => operate(folder));
});

async function operate(folder: ReadersFolder): Promise<void> {
  const [command] = COMMANDS.filter((command) => command.endsWith("website_controller.ts"));
  const kubeconfig = `${folder.path}/kubeconfig`;
  const flags = ["--port=0", "--controllers", "--nodes=1", `--kubeconfig=${kubeconfig}`];
  await using server = new KubeloopProcess("apiserver", ...flags);
  await server.line(/^ready/);
  const world = systemWorld(new MemoryLogger());
  const config = await loadClientConfig(world, { kubeconfig });
  const transport = transportOf(world, config);
  const client = new Client({ world, transport, server: config.server, userAgent: "reader" });
  await applyManifests({ world, client }, await Deno.readTextFile(`${ROOT}manifests/examples/website_definition.yaml`));
  const start = (command: string) =>
    new Deno.Command(Deno.execPath(), {
      args: folder.args(command).toSpliced(1, 0, "--no-prompt"),
      cwd: folder.path,
      env: { KUBECONFIG: kubeconfig, NO_COLOR: "1" },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  await using operator = start(command);
  const shop =
    `apiVersion: example.com/v1\nkind: WebSite\nmetadata: { name: shop }\nspec: { image: "nginx:1", replicas: 2 }`;
  await applyManifests({ world, client }, shop, { withinMs: 120_000 });
  await eventually("the site has two ready pods", async () => {
    const { status } = await client.get(WEBSITES, { namespace: "default", name: "shop" });
    return status?.ready === 2;
  });
  // The other program, which only watches.
  await using watching = start(command.replace("website_controller.ts", "watch_pods.ts"));
  const reader = watching.stdout.getReader();
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value), "2 pods\n");
  watching.kill("SIGKILL");
  await reader.cancel();
  operator.kill("SIGTERM");
  // Sooner than idle connections end by themselves, which kept it alive.
  const ended = await unlessAborted(operator.output(), AbortSignal.timeout(30_000));
  assertEquals([ended.code, new TextDecoder().decode(ended.stderr).replace(/^Download .*\n/gm, "")], [0, ""]);
  await watching.status;
  await watching.stderr.cancel();
  transport.close();
}

Deno.test("each of the README's dev commands does what it says", async () => {
  const commands = COMMANDS.filter((command) => /^deno task dev |task dev$/.test(command));
  assert(commands.length >= 5, commands.join("\n"));
  await using stack = new AsyncDisposableStack();
  const path = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(path, { recursive: true }));
  for (const [index, command] of commands.entries()) {
    const flags = command.slice(command.indexOf("task dev") + "task dev".length).split(" ").filter((flag) =>
      flag !== ""
    )
      .map((flag) =>
        flag === ".kubeloop/data" ? `${path}/data` : `${flag === "manifests/examples" ? ROOT : ""}${flag}`
      );
    const own = ["--once", "--port=0", `--kubeconfig=${path}/kubeconfig-${index}`];
    const { code, out, err } = await kubeloop("dev", ...flags, ...own);
    assertEquals([code, err], [0, ""], command);
    assertMatch(out, /^(example|manifests) +all ready$/m, command);
  }
});

/** Commands that something else runs, or that need what a test cannot have. */
const ELSEWHERE = [
  "npx -y deno@2.9.6 task test", // this
  "deno task compile", // .ci/compile_smoke
  "kubectl apply -f ../kubeloop/manifests/examples/website_definition.yaml", // above, by the client
  "conf=/etc/kubernetes/controller-manager.conf",
];

Deno.test("every other command of the README is one that exists, with flags that it takes", () => {
  const isRun = (command: string) => /task dev( |$)|^deno test |website_controller\.ts$/.test(command);
  for (const command of COMMANDS.filter((command) => !isRun(command) && !ELSEWHERE.includes(command))) {
    const [, name, rest] = /^(?:dist\/kubeloop|deno run -A main\.ts) (\S+) (.*)$/.exec(command) ?? [];
    const args = rest?.split(" ") ?? [];
    if (name === "dev") assertEquals(new Flags(DEV_FLAGS, args).positional, [], command);
    else if (name === "kube-controller-manager") managerOptions(managerFlags(args));
    else assert(false, `no test knows of ${command}`);
  }
});
