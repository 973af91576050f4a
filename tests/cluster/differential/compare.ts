import { assertEquals } from "@std/assert";
import type { Answer, Aspect, DifferentialCase, Probe } from "./probe.ts";
import type { Server } from "./servers.ts";
import { Session } from "./session.ts";

const ASPECTS: readonly Aspect[] = ["status", "contentType", "warnings", "reason", "message", "details", "body"];

/** What differs in one probe of one case. */
export interface Difference {
  readonly case: string;
  readonly probe: string;
  readonly aspect: Aspect;
  readonly why: string;
}

export interface Outcome {
  /** Requests whose answers were compared. */
  readonly compared: number;
  /** Requests whose differences are accounted for. */
  readonly excused: number;
  readonly differences: readonly Difference[];
}

/** Runs one case on both servers. */
export async function compareCase(real: Server, embedded: Server, test: DifferentialCase): Promise<Outcome> {
  const namespace = `diff-${crypto.randomUUID().slice(0, 8)}`;
  const sessions = [new Session(real, namespace), new Session(embedded, namespace)];
  const differences: Difference[] = [];
  let compared = 0;
  let excused = 0;
  try {
    await Promise.all(sessions.map((session) => session.prepare()));
    for (const probe of test.probes) {
      const [wanted, got] = await Promise.all(sessions.map((session) => session.send(probe)));
      if (probe.isSetup) continue;
      compared++;
      if (probe.differs) excused++;
      const name = `${probe.method} ${probe.path}`;
      differences.push(
        ...compareAnswers(probe, wanted, got).map((each) => ({ case: test.name, probe: name, ...each })),
      );
    }
  } finally {
    for (const probe of test.cleanup ?? []) await Promise.all(sessions.map((session) => session.send(probe)));
  }
  return { compared, excused, differences };
}

function compareAnswers(probe: Probe, wanted: Answer, got: Answer): { aspect: Aspect; why: string }[] {
  return ASPECTS.flatMap((aspect) => {
    const difference = differenceOf(got[aspect], wanted[aspect]);
    const isExcused = probe.differs?.in.includes(aspect) ?? false;
    if (difference !== undefined) return isExcused ? [] : [{ aspect, why: difference }];
    return isExcused ? [{ aspect, why: "it no longer differs: take it from `differs`" }] : [];
  });
}

function differenceOf(got: unknown, wanted: unknown): string | undefined {
  try {
    assertEquals(got, wanted);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
