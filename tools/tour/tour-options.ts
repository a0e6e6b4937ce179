export interface TourOptions {
  readonly baseUrl: string;
  readonly email: string;
  readonly password: string;
  /** Paths of an IFC model and of a CSV file with the columns `timestamp,value`. */
  readonly model: string;
  readonly readings: string;
  /** Folder of mails on the one-machine platform; without it the notification log is proof enough. */
  readonly mailDir?: string;
  /** Where a client of the project is told, for whoever has just started the platform; without it none is made. */
  readonly clientFile?: string;
  readonly print: (line: string) => void;
}
