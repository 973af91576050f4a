/**
 * Finds the verbosity that `--vmodule=pattern=N,...` sets for a logger; `undefined` if no pattern matches it. A pattern
 * is a logger's name or its last part, with `*` and `?` as wildcards; klog matches file names, which logger names
 * correspond to.
 *
 * @throws {TypeError} If `spec` is malformed.
 */
export function parseVmodule(spec: string): (loggerName: string) => number | undefined {
  const rules = spec.split(",").filter((rule) => rule !== "").map((rule) => {
    const [, pattern, level] = /^([^=]+)=(\d+)$/.exec(rule) ?? [];
    if (pattern === undefined) {
      throw new TypeError(
        `Cannot parse vmodule ${JSON.stringify(spec)}: expected pattern=N, got ${JSON.stringify(rule)}`,
      );
    }
    const source = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
    return { matches: new RegExp(`^(.*\\.)?${source}$`), level: Number(level) };
  });
  return (name) => rules.find(({ matches }) => matches.test(name))?.level;
}
