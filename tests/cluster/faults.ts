/** What a controller group can be made to suffer, and by which reason its failure is counted. */
export const REASONS = { crash: "broken", freeze: "blocked", leak: "heap" } as const;

export type Fault = keyof typeof REASONS;

export function isFault(data: unknown): data is Fault {
  return typeof data === "string" && data in REASONS;
}
