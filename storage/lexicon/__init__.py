"""The words that reports and questions share, as data: calendar, periods, money, legal forms, small words."""
