/** Whether this process brings the database to the shape that its code expects, or only looks whether somebody has done so. */
export class MigrationPolicy {
  constructor(readonly migrates: boolean) {}
}
