/**
 * Every flag beside upstream's binary: what each makes of a value, and the words in which it refuses one. What upstream's answers is
 * recorded; a sample is asked anew.
 */
import { assertEquals, assertGreater } from "@std/assert";
import { parallelize } from "../../src/base/mod.ts";
import {
  flagsOf,
  type FlagType,
  KUBE_CONTROLLER_MANAGER,
  managerFlags,
  managerOptions,
} from "../../src/manager/mod.ts";
import { assetsFolder, pinnedVersion } from "../controlplane/binaries.ts";
import { clusterTest, PARITY } from "./cluster.ts";
import { sampleOf } from "./sample.ts";

/** Values of each type; the first few are tried on every flag of the type, all of them on one. */
const VALUES: Readonly<Record<FlagType, readonly string[]>> = {
  bool: ["true", "false", "yes", "1", "0", "t", "F", "TRUE", "", "tRUE", " true"],
  string: ["x", "", "a b"],
  strings: ['"a,b"', "a,,b", 'a"b', 'a,"b"c', " a", "", '"a', 'é,"b"c', '"a""b"', "a\nb"],
  int: ["1", "-1", "abc", "0", "+5", "08", "0x1f", "0b11", "1_000", "0o17", "017", "2147483648", "9223372036854775808"],
  int32: ["1", "0", "-1", "abc", "08", "0x1f", "1__0", "2147483648", "-2147483648", "-2147483649", "", "1.5", " 1"],
  int32Slice: ["23", "23,24", "", "23,a", "2147483648", "0x17", "23,", " 23"],
  float: ["1.5", "abc", "-1", ".5", "5.", "1e3", "inf", "0x1p-2", "1_0", "1e400", " 1"],
  float32: ["1.5", "abc", "inf", "-1", "3.5e38", "0x1p-2", "16777217", "0.1", "1e10", "123456789", "+nan"],
  duration: [
    "1h30m",
    "500ms",
    "5",
    "0",
    "1.5h",
    "1us",
    "1ns",
    "-5s",
    "+5s",
    "",
    " 5s",
    "1d",
    "2562048h",
    ".5s",
    "1h1h",
  ],
  quantity: ["0", "1ki", "abc", "1e", "", "1 Mi"],
  ip: [
    "127.0.0.1",
    "a",
    "::",
    "1.2.3",
    "256.1.1.1",
    "01.2.3.4",
    "",
    "::ffff:1.2.3.4",
    "fe80::1%e",
    " 1.2.3.4 ",
    "0:0::1",
  ],
  Level: ["0", "-1", "abc", "", "2147483648", "0x4", "1.5", "+4"],
  version: ["false", "abc", "", "v1", "vfoo", "0"],
  "pattern=N,...": ["a=1", "a=1,b=2", "a", "a=", "=1", "a=b", "a=-1", "a=1,", "", "a*=2", "a=99999999999", "a=1=2"],
  namedCertKey: ["a,b", "a,b:x,y", "a", "a,b,c", "", ":x", "a,b:", "a:b,c", "a,b: x", " a , b "],
  stringToString: ["a,b=c", "a,b='x,y'", "a", "", "a=b", "a,b=c,d,e=f", 'm,l="x,y"', "=x", "a,b=c=d"],
  colonSeparatedMultimapStringString: [
    "AtomicFIFO=true",
    "kube:AtomicFIFO=true",
    "AtomicFIFO",
    "AtomicFIFO=maybe",
    "Foo=true",
    "AtomicFIFO=true,WatchListClient=false",
    "",
    "kube:AtomicFIFO=true,WatchListClient=false",
    "x:AtomicFIFO=true",
    " AtomicFIFO = true,",
    "DynamicResourceAllocation=false",
  ],
};
const ON_EVERY_FLAG = 4;
/** Processes at a time. */
const AT_ONCE = 4;

/** What is refused here, and why it is not upstream. */
const ONLY_HERE: readonly (readonly [flags: RegExp, why: string])[] = [
  [/^leader-elect-/, "upstream takes durations that cannot work, and names that are empty, and ends later in a panic"],
  [/^(concurrent-|namespace-sync-period$|horizontal-pod-autoscaler-sync-period$)/, "nothing would ever be done"],
  [/^kube-api-burst$/, "no request would ever be sent"],
  [/^(tls-|http2-)/, "upstream looks at the flags of the port only where there is one"],
  [/^version$/, "upstream prints, we say what cannot be used"],
];

type Case = readonly [name: string, value: string];

interface Answer {
  /** How the value is shown at start. */
  readonly shown: string | undefined;
  /** Empty for a value that is taken. */
  readonly refusal: string;
}

function argumentsFor(name: string, value: string): string[] {
  const others = { v: "1", kubeconfig: "/nonexistent", "secure-port": "0" };
  return [`--${name}=${value}`]
    .concat(Object.entries(others).filter(([other]) => other !== name).map(([other, text]) => `--${other}=${text}`));
}

async function upstreams(program: string, name: string, value: string): Promise<Answer> {
  const { stderr } = await new Deno.Command(program, {
    args: argumentsFor(name, value),
    env: { KUBECONFIG: "", KUBERNETES_SERVICE_HOST: "" },
    stdout: "null",
    stderr: "piped",
  }).output();
  const lines = new TextDecoder().decode(stderr).split("\n");
  const flag = lines.map((line) => /FLAG: --([^=]*)=(".*")$/.exec(line)).find((match) => match?.[1] === name);
  const refused = lines.find((line) => line.startsWith("Error: "))?.slice("Error: ".length) ??
    unquoted(lines.find((line) => line.includes('"command failed" err=')) ?? "");
  // It would have gone on with another kubeconfig.
  const isTaken = /no such file or directory|no configuration has been provided/.test(refused);
  return { shown: flag ? JSON.parse(flag[2]) : undefined, refusal: isTaken ? "" : refused };
}

/** The error of a line of the log, whose value is in quotes if it holds any. */
function unquoted(line: string): string {
  const value = line.replace(/^.*"command failed" err=/, "");
  return value.startsWith('"') ? JSON.parse(value) : value;
}

function ours(name: string, value: string): Answer {
  let shown: string | undefined;
  try {
    const flags = managerFlags(argumentsFor(name, value));
    shown = new Map(flags.entries()).get(name);
    managerOptions(flags);
    return { shown, refusal: "" };
  } catch (error) {
    return { shown, refusal: (error as Error).message };
  }
}

/** Without what only we say: the dashes of flags, and what a flag takes. */
const comparable = (text: string) => text.replace(/^\[/, "").replace(/^--/, "");

const RECORDED = new URL("./recordings_of_flags.jsonl", import.meta.url);

/** What upstream's answered, by flag and value. */
async function recordedAnswers(): Promise<Map<string, Answer>> {
  const [header, ...lines] = (await Deno.readTextFile(RECORDED)).trimEnd().split("\n");
  assertEquals(JSON.parse(header), { version: await pinnedVersion() }, `run ${RECORD}`);
  return new Map(lines.map((line): [string, Answer] => {
    const { flag, shown, refusal } = JSON.parse(line);
    return [flag, { shown, refusal }];
  }));
}

const RECORD = "`deno task parity:record`";
const flagText = ([name, value]: Case) => `--${name}=${value}`;

async function answersOf(cases: readonly Case[]): Promise<Map<string, Answer>> {
  const program = `${await assetsFolder()}/kube-controller-manager`;
  const answers = new Map<string, Answer>();
  await parallelize(AT_ONCE, cases.length, async (i) => {
    answers.set(flagText(cases[i]), await upstreams(program, ...cases[i]));
  });
  return answers;
}

async function record(cases: readonly Case[]): Promise<void> {
  const answers = await answersOf(cases);
  const lines = cases.map((each) => JSON.stringify({ flag: flagText(each), ...answers.get(flagText(each)) }));
  await Deno.writeTextFile(RECORDED, [JSON.stringify({ version: await pinnedVersion() }), ...lines, ""].join("\n"));
}

clusterTest("every flag takes, shows and refuses what upstream's takes, shows and refuses", async () => {
  const cases = valuesToTry();
  assertGreater(cases.length, 450);
  if (PARITY === "record") return await record(cases);
  const isLive = PARITY === "live";
  const live = await answersOf(isLive ? cases : await sampleOf(cases, flagText));
  const known = isLive ? live : await recordedAnswers();
  for (const [flag, answer] of live) {
    assertEquals(answer, known.get(flag), `${flag} was recorded otherwise: run ${RECORD}`);
  }
  assertEquals(cases.filter((each) => !known.has(flagText(each))), [], `not recorded: run ${RECORD}`);
  assertEquals(cases.flatMap((each) => differenceOf(each, known.get(flagText(each))!)), []);
}, { records: true });

function valuesToTry(): Case[] {
  const tried = new Set<FlagType>();
  const upstreams = flagsOf(KUBE_CONTROLLER_MANAGER).filter(({ group }) => group !== "kubeloop");
  return upstreams.filter(({ name, isHidden }) => name !== "help" && !isHidden).flatMap(({ name, type }) => {
    const values = VALUES[type].slice(0, tried.has(type) ? ON_EVERY_FLAG : Infinity);
    tried.add(type);
    return values.map((value): Case => [name, value]);
  });
}

function differenceOf([name, value]: Case, theirs: Answer): string[] {
  const own = ours(name, value);
  const isOnlyHere = theirs.refusal === "" && ONLY_HERE.some(([flags]) => flags.test(name));
  const words = comparable(theirs.refusal).slice(0, 60);
  const isAlike = theirs.refusal === "" ? own.refusal === "" : comparable(own.refusal).startsWith(words);
  const isShownAlike = theirs.shown === undefined || own.shown === theirs.shown;
  if (isShownAlike && (isAlike || isOnlyHere)) return [];
  return [`--${name}=${JSON.stringify(value)}: ${JSON.stringify({ theirs, own })}`];
}
