"""The checks of the battery, one file each: functions that return, skip or fail in a sentence."""
