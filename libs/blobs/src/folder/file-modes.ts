/** For their owner alone, whichever process makes them: an operator's command has the umask of a shell. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
