import { type ControllerRow, isBuilt } from "../controllers/mod.ts";
import { type Component, type FlagDefinition, flagsOf } from "../manager/mod.ts";

/**
 * The text of a manager's `--help`: its flags by section, each with type, meaning and default, in upstream's layout.
 */
export function managerUsage(component: Component): string {
  const { name, hasCloud } = component;
  const flags = flagsOf(component).filter(({ isHidden }) => !isHidden);
  const body = [...Map.groupBy(flags, ({ group }) => group)].map(([group, members]) =>
    `${group[0].toUpperCase()}${group.slice(1)} flags:\n\n${sectionLines(members, component).join("\n")}\n`
  );
  return `kubeloop's ${name}: ${
    hasCloud ? "the controllers that talk to a cloud" : "the Kubernetes controllers"
  } in one process.\n\nUsage:\n  ${name} [flags]\n\n${body.join("\n")}`;
}

const SHORT: Readonly<Record<string, string>> = { help: "h", v: "v" };

function sectionLines(flags: readonly FlagDefinition[], component: Component): string[] {
  const heads = flags.map(({ name, type }) => {
    const head = SHORT[name] === undefined ? `      --${name}` : `  -${SHORT[name]}, --${name}`;
    return head + (type === "bool" ? "" : type === "version" ? " version[=true]" : ` ${type}`);
  });
  const width = Math.max(...heads.map((head) => head.length)) + 3;
  return flags.flatMap((flag, i) => {
    const [first, ...more] = meaningOf(flag, component);
    return [heads[i].padEnd(width) + first, ...more.map((line) => " ".repeat(width) + line)];
  });
}

function meaningOf(
  { name, type, default: standard, usage, isIdle }: FlagDefinition,
  { controllers, hasCloud }: Component,
): string[] {
  const shown = defaultText(standard, type === "string");
  const notes = [shown && `(default ${shown})`, isIdle && "[no effect in this version]"];
  const first = [usage, ...notes].filter((part) => part).join(" ");
  if (name !== "controllers") return [first];
  const names = (matches: (row: ControllerRow) => boolean) =>
    controllers.filter(matches).map((row) => row.name).sort().join(", ");
  const off = names((row) => !row.enabledByDefault);
  const absent = names((row) => !isBuilt(row) && (hasCloud || !row.needs?.cloud));
  return [
    first,
    `On by default: ${names((row) => row.enabledByDefault)}`,
    ...off === "" ? [] : [`Off by default: ${off}`],
    ...absent === "" ? [] : [`Not in this version: ${absent}`],
  ];
}

/** Empty for zero values: false, 0 and empty. */
function defaultText(standard: unknown, isText: boolean): string {
  if (Array.isArray(standard)) return standard.length > 0 ? `[${standard.join(",")}]` : "";
  if (typeof standard === "object" || ["", "0", "0s", "false"].includes(String(standard))) return "";
  return isText ? JSON.stringify(standard) : String(standard);
}
