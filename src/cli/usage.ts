import { type Flags, MANAGER_FLAGS, OWN_FLAGS } from "../manager/mod.ts";

/** What `--help` of a manager prints: its flags by section, each with type and default. */
export function managerUsage(name: string, flags: Flags): string {
  const sections = new Map<string, string[]>();
  for (const { name: flag, type, group } of [...MANAGER_FLAGS.filter(({ isHidden }) => !isHidden), ...OWN_FLAGS]) {
    const lines = sections.get(group) ?? [];
    const standard = flags.string(flag);
    lines.push(
      `      --${flag}${type === "bool" ? "" : ` ${type}`}${standard === "" ? "" : `   (default ${standard})`}`,
    );
    sections.set(group, lines);
  }
  const body = [...sections].map(([group, lines]) =>
    `${group[0].toUpperCase()}${group.slice(1)} flags:\n\n${lines.join("\n")}\n`
  );
  return `kubeloop's ${name}: the Kubernetes controllers in one process.\n\nUsage:\n  ${name} [flags]\n\n${
    body.join("\n")
  }`;
}
