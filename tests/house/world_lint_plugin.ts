/**
 * A lint rule: time, randomness, timers and the network enter through `World` and the transport, nowhere else.
 * Code that reads them directly cannot be tested without waiting nor simulated from a seed.
 */

/** Files that are the door to the real world. */
const DOORS = [
  /\/src\/base\/(clock|random)\.ts$/,
  /\/src\/client\/(\w+_)?transport\w*\.ts$/,
  /\/src\/client\/http1?\/\w+\.ts$/,
];

const FORBIDDEN_CALLS = new Set([
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
]);

const FORBIDDEN_MEMBERS = new Set([
  "Date.now",
  "Math.random",
  "performance.now",
  "crypto.randomUUID",
  "crypto.getRandomValues",
  "AbortSignal.timeout",
  "globalThis.fetch",
  "globalThis.setTimeout",
]);

/** Whether the rule looks at `filename`: everything under `src` but the doors. */
export function isGuarded(filename: string): boolean {
  return /\/src\//.test(filename) && !DOORS.some((door) => door.test(filename));
}

const plugin: Deno.lint.Plugin = {
  name: "kubeloop",
  rules: {
    "world-only": {
      create(context) {
        if (!isGuarded(context.filename)) return {};
        const report = (node: Deno.lint.Node, what: string) =>
          context.report({
            node,
            message: `${what} bypasses World`,
            hint: "Use world.clock, world.random or a Transport",
          });
        return {
          CallExpression(node) {
            if (node.callee.type === "Identifier" && FORBIDDEN_CALLS.has(node.callee.name)) {
              report(node, `${node.callee.name}()`);
            }
          },
          MemberExpression(node) {
            if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
            const name = `${node.object.name}.${node.property.name}`;
            if (FORBIDDEN_MEMBERS.has(name)) report(node, name);
          },
          NewExpression(node) {
            if (node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0) {
              report(node, "new Date()");
            }
          },
        };
      },
    },
  },
};

export default plugin;
