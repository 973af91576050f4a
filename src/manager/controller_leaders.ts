/** Controllers that do not run under this process's lease while they move from one manager to another. */
export interface LeaderMigration {
  /** The name of the migration's lease. */
  readonly leaderName: string;
  /** As the configuration has them. */
  readonly controllerLeaders: readonly ControllerLeader[];
  /** Those that another component runs. */
  readonly elsewhere: ReadonlySet<string>;
  /** Those that this component runs once it holds the migration's lease too. */
  readonly byMigrationLease: ReadonlySet<string>;
}

/** A controller that moves, and the program that runs it: `*` for whichever holds the migration's lease. */
export interface ControllerLeader {
  readonly name: string;
  readonly component: string;
}
