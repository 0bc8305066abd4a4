"""The app and the command line under abuse: crowds, kills, full disks, clocks and files that vanish."""
