import { type FlagDefinition, MANAGER_FLAGS, OWN_FLAGS } from "../manager/mod.ts";

/** What `--help` of a manager prints: its flags by section, each with type and default, as upstream lays them out. */
export function managerUsage(name: string): string {
  const flags = [...MANAGER_FLAGS.filter(({ isHidden }) => !isHidden), ...OWN_FLAGS];
  const body = [...Map.groupBy(flags, ({ group }) => group)].map(([group, members]) =>
    `${group[0].toUpperCase()}${group.slice(1)} flags:\n\n${members.map(flagLine).join("\n")}\n`
  );
  return `kubeloop's ${name}: the Kubernetes controllers in one process.\n\nUsage:\n  ${name} [flags]\n\n${
    body.join("\n")
  }`;
}

const SHORT: Readonly<Record<string, string>> = { help: "h", v: "v" };

function flagLine({ name, type, default: standard, usage = "" }: FlagDefinition): string {
  const head = SHORT[name] === undefined ? `      --${name}` : `  -${SHORT[name]}, --${name}`;
  const taken = type === "bool" ? "" : type === "version" ? " version[=true]" : ` ${type}`;
  const shown = defaultText(standard, type === "string");
  return [`${head}${taken}`, usage, shown && `(default ${shown})`].filter((part) => part !== "").join("   ");
}

/** Nothing for what a flag is anyway: false, 0, or empty. */
function defaultText(standard: unknown, isText: boolean): string {
  if (Array.isArray(standard)) return standard.length > 0 ? `[${standard.join(",")}]` : "";
  if (typeof standard === "object" || ["", "0", "0s", "false"].includes(String(standard))) return "";
  return isText ? JSON.stringify(standard) : String(standard);
}
