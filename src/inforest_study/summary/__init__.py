"""From scores to what they say: one file per question, each a function from table to table.

Every function takes and returns pandas data frames with plain column names. `cells` is where all
of them start: one row for each (task, dataset, method, config, learner, k).
"""
